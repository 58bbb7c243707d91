import { createHash, generateKeyPairSync, sign } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { preAuthenticationEncoding } from '../../src/domain/integrity/proofs/dsse.ts';
import { sigstoreWithoutRoot } from '../../src/domain/integrity/proofs/sigstore.ts';
import { type Jwk, publicKeyOf } from '../../src/platform/jwk.ts';
import { openSigstoreVerifier } from '../../src/platform/sigstore-verifier.ts';
import { type BundleJson, startSigstore } from '../builders/sigstore.ts';
import { worded } from '../builders/worded.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const payload = '{"_type":"https://in-toto.io/Statement/v1"}';
const sigstore = await startSigstore();
afterAll(() => sigstore[Symbol.asyncDispose]());
const verifier = await verifierWith(sigstore.trustedRoot);
const bytes = (bundle: BundleJson) => Buffer.from(JSON.stringify(bundle));

/** A bundle whose key is given, as `cosign attest-blob --key` makes it without a log. */
function signedByKey(namedCurve: string) {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve });
  const type = 'application/vnd.in-toto+json';
  const signed = preAuthenticationEncoding(type, Buffer.from(payload));
  const hash = createHash('sha256').update(publicKey.export({ type: 'spki', format: 'der' }));
  const bundle: BundleJson = {
    mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
    verificationMaterial: { publicKey: { hint: hash.digest('base64') } },
    dsseEnvelope: {
      payload: Buffer.from(payload).toString('base64'),
      payloadType: type,
      signatures: [{ sig: sign('sha256', signed, privateKey).toString('base64') }],
    },
  };
  const { did } = publicKeyOf(publicKey.export({ format: 'jwk' }) as Jwk, ['P-256']);
  return { bundle, did, keys: new Map([['build', did]]) };
}

async function verifierWith(trustedRoot: unknown, keys = new Map<string, string>()) {
  using folder = temporaryFolder();
  const file = join(folder.path, 'trusted_root.json');
  writeFileSync(file, typeof trustedRoot === 'string' ? trustedRoot : JSON.stringify(trustedRoot));
  return await openSigstoreVerifier(file, keys);
}

describe('a bundle that was made with the trusted authorities holds', () => {
  const held = { result: 'ok', signer: 'ada@example.com', identityIssuer: 'https://issuer.example' };

  test('with the current media type, and its older spelling', async () => {
    const bundle = await sigstore.sign(payload);
    expect(bundle.mediaType).toBe('application/vnd.dev.sigstore.bundle.v0.3+json');
    expect(await verifier.verify(bytes(bundle))).toMatchObject(held);
    const older = { ...bundle, mediaType: 'application/vnd.dev.sigstore.bundle+json;version=0.3' };
    expect(await verifier.verify(bytes(older))).toMatchObject(held);
  });

  test.each(['0.2', '0.1'])('of version %s', async (version) => {
    const bundle = await sigstore.sign(payload, { old: true });
    const older = { ...bundle, mediaType: `application/vnd.dev.sigstore.bundle+json;version=${version}` };
    expect(await verifier.verify(bytes(older))).toMatchObject(held);
  });

  test('with a key hint in its envelope that means something else', async () => {
    const bundle = await sigstore.sign(payload);
    bundle.dsseEnvelope.signatures[0].keyid = 'another';
    expect(await verifier.verify(bytes(bundle))).toMatchObject(held);
  });

  test('about a file, if the file is given', async () => {
    const bundle = bytes(await sigstore.sign(payload, { asMessage: true }));
    expect(await verifier.verify(bundle, Buffer.from(payload))).toMatchObject(held);
    expect(await verifier.verify(bundle, Buffer.from('other'))).toMatchObject({ result: 'failed' });
    expect(worded(await verifier.verify(bundle))).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('a file that it does not hold'),
    });
  });
});

describe('a bundle by an authority that nobody gave', () => {
  test('is unknown, not wrong, unless its signature is', async () => {
    await using other = await startSigstore();
    const bundle = await other.sign(payload);
    expect(worded(await verifier.verify(bytes(bundle)))).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('not in the trusted root'),
    });
    bundle.dsseEnvelope.payload = 'e30=';
    expect(await verifier.verify(bytes(bundle))).toMatchObject({ result: 'failed' });
  });
});

describe('a bundle does not hold, and says why', () => {
  test.each<[string, (bundle: BundleJson) => unknown, RegExp]>([
    [
      'a changed payload',
      (bundle) => {
        bundle.dsseEnvelope.payload = 'e30=';
      },
      /log entry is about something else/,
    ],
    [
      'a changed signature',
      (bundle) => {
        bundle.dsseEnvelope.signatures[0].sig = 'MAYCAQECAQE=';
      },
      /does not hold/,
    ],
    [
      'another time in the log',
      (bundle) => {
        bundle.verificationMaterial.tlogEntries[0].integratedTime = '1600000000';
      },
      /not valid when it signed/,
    ],
    [
      'a certificate that is not one',
      (bundle) => {
        bundle.verificationMaterial.certificate.rawBytes = 'AAAA';
      },
      /cannot be read/,
    ],
    [
      'an unknown version',
      (bundle) => {
        bundle.mediaType = 'application/vnd.dev.sigstore.bundle.v9.9+json';
      },
      /media type/,
    ],
    [
      'no media type',
      (bundle) => {
        delete bundle.mediaType;
      },
      /media type/,
    ],
    [
      'no content',
      (bundle) => {
        delete bundle.dsseEnvelope;
      },
      /not JSON of its format/,
    ],
    [
      'no material',
      (bundle) => {
        delete bundle.verificationMaterial;
      },
      /not JSON of its format/,
    ],
  ])('%s', async (_, change, reason) => {
    const bundle = await sigstore.sign(payload);
    change(bundle);
    expect(worded(await verifier.verify(bytes(bundle)))).toMatchObject({
      result: 'failed',
      reason: expect.stringMatching(reason),
      signer: null,
    });
  });

  test('without a log entry and a timestamp it is unknown, unless the signature is wrong', async () => {
    const bundle = await sigstore.sign(payload);
    bundle.verificationMaterial.tlogEntries = [];
    const reason = expect.stringMatching(/ada@example\.com, but there is no entry/);
    const unknown = { result: 'unknown', reason, signer: null };
    expect(worded(await verifier.verify(bytes(bundle)))).toMatchObject(unknown);
    bundle.dsseEnvelope.payload = Buffer.from('other').toString('base64');
    expect(worded(await verifier.verify(bytes(bundle)))).toMatchObject({ result: 'failed', signer: null });
  });

  test.each(['', 'hello', 'null', '[]', '{}', '"\ud800"'])('the bytes %j', async (text) => {
    expect(await verifier.verify(Buffer.from(text))).toMatchObject({ result: 'failed' });
  });

  test('a bundle with a key that nobody gave', async () => {
    const bundle = await sigstore.sign(payload);
    delete bundle.verificationMaterial.certificate;
    bundle.verificationMaterial.publicKey = { hint: 'build' };
    expect(worded(await verifier.verify(bytes(bundle)))).toMatchObject({
      result: 'unknown',
      reason: expect.stringMatching(/build.*CAIRN_DSSE_KEYS_FILE/),
    });
  });
});

describe('a bundle with a key that the operator gave needs no log', () => {
  const { bundle, did, keys } = signedByKey('prime256v1');

  test.each([
    ['with a trusted root', () => verifierWith(sigstore.trustedRoot, keys)],
    ['without one', () => openSigstoreVerifier(null, keys)],
  ])('%s', async (_, open) => {
    const keyed = await open();
    expect(await keyed.verify(bytes(bundle))).toMatchObject({ result: 'ok', signer: did, signers: [did] });
    const named = { ...bundle, verificationMaterial: { publicKey: { hint: 'build' } } };
    expect(await keyed.verify(bytes(named))).toMatchObject({ result: 'ok', signer: did });
    const changed = { ...bundle, dsseEnvelope: { ...bundle.dsseEnvelope, payload: 'e30=' } };
    expect(await keyed.verify(bytes(changed))).toMatchObject({ result: 'failed', signer: null });
    const unknown = await keyed.verify(bytes(signedByKey('prime256v1').bundle));
    expect(unknown).toMatchObject({ result: 'unknown', reason: { code: 'bundle_key_unknown' } });
  });

  test('and one with a certificate still needs a trusted root', async () => {
    const keyed = await openSigstoreVerifier(null, keys);
    expect(await keyed.verify(bytes(await sigstore.sign(payload)))).toMatchObject({
      result: 'unknown',
      reason: { code: 'no_trusted_root' },
    });
  });

  test('but with a trusted root an entry of the log about something else makes it fail', async () => {
    const { verificationMaterial } = await sigstore.sign(payload);
    const logged = structuredClone(bundle);
    logged.verificationMaterial.tlogEntries = verificationMaterial.tlogEntries;
    const rooted = await verifierWith(sigstore.trustedRoot, keys);
    expect(await rooted.verify(bytes(logged))).toMatchObject({ result: 'failed' });
  });
});

test('without a trusted root no bundle can be checked', async () => {
  expect(worded(await sigstoreWithoutRoot.verify(bytes(await sigstore.sign(payload))))).toMatchObject({
    result: 'unknown',
    reason: expect.stringContaining('CAIRN_SIGSTORE_TRUSTED_ROOT'),
  });
});

test.each([
  ['text', 'hello', /it is not JSON/],
  ['null', 'null', /not a trusted_root.json/],
  ['an empty object', '{}', /no certificateAuthorities/],
  [
    'a broken certificate',
    { certificateAuthorities: [{ certChain: { certificates: [{ rawBytes: 'AAAA' }] } }] },
    /not a trusted_root.json/,
  ],
])('%s is refused as a trusted root by the name of the setting', async (_, content, reason) => {
  await expect(verifierWith(content)).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(new RegExp(`CAIRN_SIGSTORE_TRUSTED_ROOT.*${reason.source}`)),
  });
});
