import { createHash, sign } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { KeyType } from '../../../src/domain/integrity/identifiers/did-key.ts';
import {
  type DsseKeys,
  preAuthenticationEncoding,
  verifyDsse,
} from '../../../src/domain/integrity/proofs/dsse.ts';
import { newKey, type TestKey } from '../../builders/keys.ts';
import { worded } from '../../builders/worded.ts';

const payload = '{"subject":"ünicode"}';
const payloadType = 'application/vnd.in-toto+json';
const noKeys: DsseKeys = new Map();
const key = newKey();

function pae(type = payloadType, body = payload): Buffer {
  return Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(body)} ${body}`);
}

function signatureBy(by: TestKey, keyid: string | undefined = by.did, data = pae()) {
  return { ...(keyid !== undefined && { keyid }), sig: by.sign(data).toString('base64') };
}

function envelope(...signatures: object[]) {
  return { payloadType, payload: Buffer.from(payload).toString('base64'), signatures };
}

test('the encoding that is signed counts bytes', () => {
  expect(preAuthenticationEncoding(payloadType, Buffer.from(payload)).equals(pae())).toBe(true);
  const example = preAuthenticationEncoding('http://example.com/HelloWorld', Buffer.from('hello world'));
  expect(example.toString()).toBe('DSSEv1 29 http://example.com/HelloWorld 11 hello world');
});

describe('an envelope holds', () => {
  test.each<KeyType>(['Ed25519', 'P-256', 'secp256k1', 'P-384'])('with a did:key on %s', (keyType) => {
    const by = newKey(keyType);
    const held = { result: 'ok', signer: by.did, cryptosuite: 'DSSE' };
    expect(verifyDsse(envelope(signatureBy(by)), noKeys)).toMatchObject(held);
    expect(verifyDsse(envelope(signatureBy(by, by.method)), noKeys)).toMatchObject(held);
  });

  test('with an ECDSA signature in DER', () => {
    const by = newKey('P-256');
    const sig = sign('sha256', pae(), by.privateKey).toString('base64');
    expect(verifyDsse(envelope({ keyid: by.did, sig }), noKeys)).toMatchObject({ result: 'ok' });
  });

  test('in the URL alphabet of base64, and without padding', () => {
    const { keyid, sig } = signatureBy(key);
    const url = (text: string) => Buffer.from(text, 'base64').toString('base64url');
    const { payload: body, ...rest } = envelope({ keyid, sig: url(sig) });
    expect(verifyDsse({ ...rest, payload: url(body) }, noKeys)).toMatchObject({ result: 'ok' });
  });

  test('with a given key, by its kid or without a keyid', () => {
    const keys = new Map([
      ['other', newKey().did],
      ['build', key.did],
    ]);
    const held = { result: 'ok', signer: key.did };
    expect(verifyDsse(envelope(signatureBy(key, 'build')), keys)).toMatchObject(held);
    expect(verifyDsse(envelope({ sig: signatureBy(key).sig }), keys)).toMatchObject(held);
  });

  test('with several signatures, and names every signer', () => {
    const other = newKey();
    const check = verifyDsse(envelope(signatureBy(key), signatureBy(other)), noKeys);
    expect(check).toMatchObject({ result: 'ok', signers: [key.did, other.did], signer: null });
  });

  test('with one known key among unknown ones, which are not named as signers', () => {
    const check = verifyDsse(envelope(signatureBy(newKey(), 'unknown'), signatureBy(key)), noKeys);
    expect(check).toMatchObject({ result: 'ok', signers: [key.did], signer: key.did });
  });

  test('with a payload that is a URN, as its type says', () => {
    const type = 'https://eqtylab.io/terms/IntegrityStatementUrn';
    const urn = 'urn:cid:bafkr4ibthuzk3zug7ghmx63yjqaiu6rx4hhfdv3453j5bodskgw57bx2ya';
    const signed = {
      payloadType: type,
      payload: Buffer.from(urn).toString('base64'),
      signatures: [signatureBy(key, key.did, pae(type, urn))],
    };
    expect(verifyDsse(signed, noKeys)).toMatchObject({ result: 'ok' });
  });
});

describe('an envelope does not hold, and says why', () => {
  const other = newKey('P-256');
  const good = envelope(signatureBy(key));

  test.each<[string, unknown, 'failed' | 'unknown', RegExp]>([
    ['another payload', { ...good, payload: 'e30=' }, 'failed', /payload was changed/],
    ['another type', { ...good, payloadType: 'application/json' }, 'failed', /payload was changed/],
    ['a payload that is not JSON', { ...good, payload: 'aGVsbG8=' }, 'failed', /payload is not JSON/],
    ['a payload that is not UTF-8', { ...good, payload: '/w==' }, 'failed', /payload is not JSON/],
    [
      'a payload that is not base64',
      { ...good, payload: 'a b' },
      'failed',
      /malformed: payload must be base64/,
    ],
    ['the key of somebody else', envelope(signatureBy(key, other.did)), 'failed', /not by did:key:zDn/],
    [
      'one wrong signature of two',
      envelope(signatureBy(key), signatureBy(key, other.did)),
      'failed',
      /not by/,
    ],
    [
      'an unknown kid',
      envelope(signatureBy(key, 'build')),
      'unknown',
      /"build" is not known.*CAIRN_DSSE_KEYS_FILE/,
    ],
    [
      'no keyid',
      envelope({ sig: signatureBy(key).sig }),
      'unknown',
      /no keyid, and no key in the file of CAIRN_DSSE_KEYS_FILE/,
    ],
    ['a broken did:key', envelope(signatureBy(key, 'did:key:z6Mk')), 'failed', /key of the proof is invalid/],
    [
      'a did:key with another fragment',
      envelope(signatureBy(key, `${key.did}#zabc`)),
      'failed',
      /another key/,
    ],
    [
      'the payload signed alone',
      envelope(signatureBy(key, key.did, Buffer.from(payload))),
      'failed',
      /of the payload alone/,
    ],
    ['no signature', envelope(), 'failed', /malformed: signatures/],
    ['eleven signatures', envelope(...Array(11).fill(signatureBy(key))), 'failed', /malformed: signatures/],
    ['a long signature', envelope({ keyid: key.did, sig: 'A'.repeat(2_000) }), 'failed', /signatures.0.sig/],
    ['a text', 'envelope', 'failed', /malformed/],
    ['nothing', undefined, 'failed', /malformed/],
  ])('%s', (_, signed, result, reason) => {
    expect(worded(verifyDsse(signed, noKeys))).toMatchObject({
      result,
      reason: expect.stringMatching(reason),
    });
  });

  test('the signature of another hash', () => {
    const by = newKey('P-256');
    const digest = createHash('sha256').update(pae()).digest();
    expect(verifyDsse(envelope(signatureBy(by, by.did, digest)), noKeys)).toMatchObject({ result: 'failed' });
  });
});
