import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { newKey, type TestKey } from '../builders/keys.ts';
import { putBlob, send } from './service.ts';
import { dsseEnvelope, useTrustingService } from './trusting-service.ts';

const { service, sigstore, key: given } = await useTrustingService();

/** Stores a CredentialRegistration and returns what is known about its signature. */
async function verificationOf(fields: object) {
  const statement = {
    '@context': ownContextUrl,
    '@type': 'CredentialRegistration',
    registeredBy: newKey().did,
    timestamp: '2026-01-31T12:00:00Z',
    ...fields,
  };
  const { json } = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
  const verification = await send(service, 'GET', `/statements/v1/id/${json.rdfc_cid}/verification`);
  const { signatures } = verification.json;
  expect(signatures).toHaveLength(1);
  return signatures[0];
}

describe('a stored DSSE envelope', () => {
  const subject = 'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';

  function envelope(by: TestKey, keyid: string, payloadType = 'text/plain') {
    return { credentialDsse: dsseEnvelope(by, keyid, payloadType, subject) };
  }

  test('is checked with the key that its keyid holds or names', async () => {
    const by = newKey();
    const own = await verificationOf(envelope(by, by.did));
    const named = await verificationOf(envelope(given, 'build'));
    expect(own).toMatchObject({ kind: 'dsse', result: 'ok', signer: by.did });
    expect(named).toMatchObject({ kind: 'dsse', result: 'ok', signer: given.did });
  });

  test('says why it does not hold, or cannot be checked', async () => {
    const by = newKey();
    const reasons: [object, string, string][] = [
      [envelope(by, 'build'), 'failed', 'The signature is not by'],
      [envelope(by, 'other'), 'unknown', 'CAIRN_DSSE_KEYS_FILE'],
      [envelope(by, by.did, 'application/json'), 'failed', 'payload is not JSON'],
    ];
    for (const [fields, result, reason] of reasons)
      expect(await verificationOf(fields)).toMatchObject({ result, reason: expect.stringContaining(reason) });
  });
});

describe('a stored Sigstore bundle', () => {
  const file = 'a model';
  const carried = (bundle: object, subject: string) => ({
    subject: `urn:cid:${subject}`,
    sigstoreBundle: Buffer.from(JSON.stringify(bundle)).toString('base64'),
  });
  const inToto = (subject: object) =>
    JSON.stringify({
      _type: 'https://in-toto.io/Statement/v1',
      subject: [subject],
      predicateType: 'x',
      predicate: {},
    });
  const sha256 = createHash('sha256').update(file).digest('hex');

  test('holds if it signs the SHA-256 digest of the subject, its CID, or its bytes', async () => {
    const { cid } = (await putBlob(service, file)).json;
    const bundles = [
      await sigstore.sign(inToto({ name: 'model', digest: { sha256 } })),
      await sigstore.sign(`urn:cid:${cid}`, { type: 'text/plain' }),
      await sigstore.sign(file, { asMessage: true }),
    ];
    for (const bundle of bundles) {
      const signature = await verificationOf(carried(bundle, cid));
      expect(signature).toMatchObject({ kind: 'sigstore', result: 'ok', signer: 'ada@example.com' });
    }
  });

  test('fails if it signs something else than the subject', async () => {
    const { cid } = (await putBlob(service, 'another model')).json;
    const other = await verificationOf(carried(await sigstore.sign(inToto({ digest: { sha256 } })), cid));
    expect(other).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('something else'),
    });
    const message = await verificationOf(carried(await sigstore.sign(file, { asMessage: true }), cid));
    expect(message).toMatchObject({ result: 'failed' });
  });

  test.each(['e30=', 'aGVsbG8='])('with the content %s fails', async (sigstoreBundle) => {
    const { cid } = (await putBlob(service, sigstoreBundle)).json;
    expect(await verificationOf({ subject: `urn:cid:${cid}`, sigstoreBundle })).toMatchObject({
      result: 'failed',
    });
  });
});
