import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { statementTime } from '../../src/domain/integrity/identifiers/timestamp.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { send, useService } from './service.ts';

const service = useService({ CAIRN_PUBLIC_URL: 'https://cairn.example' });
const [key, other] = [newKey(), newKey()];
const ok = { result: 'ok' };
const allOk = { proof: ok, dates: ok, status: ok, issuer: ok };

const signed = (more: Readonly<Record<string, unknown>> = {}, by = key) =>
  addProof(
    { identifier: canonicalizer(), signer: signerWith(by) },
    newCredential({ issuer: key.did, ...more }),
    {
      created: new Date(),
    },
  );

async function verify(credential: unknown) {
  const { status, json, text } = await send(service, 'POST', '/credentials/v1/verify', { credential });
  expect(status, text).toBe(200);
  return json;
}

/** A credential with entries of this service, signed by its issuer. */
async function withStatus() {
  const { json } = await send(
    service,
    'POST',
    '/credentials/v1/allocate',
    newCredential({ issuer: key.did }),
  );
  const { credentialStatus } = json as { credentialStatus: readonly { readonly statusListIndex: string }[] };
  return { ...(await signed(json)), credentialStatus };
}

describe('POST /credentials/v1/verify', () => {
  test('verifies a credential by its issuer, with and without status', async () => {
    expect(await verify(await signed())).toEqual({ verified: true, checks: allOk });
    expect(await verify(await withStatus())).toEqual({ verified: true, checks: allOk });
    const named = await signed({ issuer: { id: key.did, name: 'Ada' } });
    expect(await verify(named)).toEqual({ verified: true, checks: allOk });
  });

  test('says that the content was changed', async () => {
    const { verified, checks } = await verify({ ...(await signed()), validFrom: '2026-01-02T00:00:00Z' });
    expect(verified).toBe(false);
    expect(checks).toMatchObject({
      proof: { result: 'failed', reason: expect.stringContaining('changed after signing') },
      issuer: { result: 'unknown' },
    });
  });

  test('says that somebody else signed', async () => {
    const { verified, checks } = await verify(await signed({}, other));
    expect(verified).toBe(false);
    expect(checks).toMatchObject({
      ...allOk,
      issuer: { result: 'failed', reason: `${other.did} signed, but the issuer is ${key.did}.` },
    });
  });

  test('refuses two signers', async () => {
    const { proof: first, ...content } = await signed();
    const { proof: second } = await addProof(
      { identifier: canonicalizer(), signer: signerWith(other) },
      content,
      {
        created: new Date(),
      },
    );
    const { verified, checks } = await verify({ ...content, proof: [first, second] });
    expect(verified).toBe(false);
    expect(checks.issuer).toMatchObject({
      result: 'failed',
      reason: expect.stringContaining('Several keys signed'),
    });
  });

  test.each([
    ['has expired', { validUntil: '2026-01-02T00:00:00Z' }, /expired at 2026-01-02/],
    ['is not valid yet', { validFrom: '2999-01-01T00:00:00Z' }, /not valid before 2999/],
    ['ends before it begins', { validUntil: '2025-01-01T00:00:00Z' }, /ends before it begins/],
    ['has a malformed date', { validUntil: 'soon' }, /validUntil is not a date/],
  ])('says that a credential %s', async (_, more, reason) => {
    const { verified, checks } = await verify(await signed(more));
    expect(verified).toBe(false);
    expect(checks).toMatchObject({
      ...allOk,
      dates: { result: 'failed', reason: expect.stringMatching(reason) },
    });
  });

  test.each([
    [30_000, 'ok'],
    [180_000, 'failed'],
  ])('a credential of an issuer whose clock is %i ms ahead is %s', async (aheadMs, result) => {
    const validFrom = statementTime(new Date(Date.now() + aheadMs));
    const { checks } = await verify(await signed({ validFrom }));
    expect(checks.dates.result).toBe(result);
  });

  test('says that a credential is revoked or suspended, at once', async () => {
    const credential = await withStatus();
    const [revocation, suspension] = credential.credentialStatus;
    const change = (credentialStatus: unknown, status = true) =>
      send(service, 'POST', `/credentials/v1/revoke/${credential.id}`, { credentialStatus, status });
    const statusNow = async () => (await verify(credential)).checks.status;
    await change(suspension);
    expect(await statusNow()).toEqual({ result: 'failed', reason: 'The credential is suspended.' });
    await change(suspension, false);
    expect(await statusNow()).toEqual(ok);
    await change(revocation);
    expect(await statusNow()).toEqual({ result: 'failed', reason: 'The credential is revoked.' });
  });

  test('refuses the status entry of another credential, and one that was never allocated', async () => {
    const { credentialStatus } = await withStatus();
    const [entry] = credentialStatus;
    const unallocated = { ...entry, statusListIndex: '131073' };
    for (const one of [entry, unallocated]) {
      const { checks } = await verify(await signed({ credentialStatus: one }));
      expect(checks.status).toMatchObject({
        result: 'failed',
        reason: expect.stringContaining('does not belong to this credential'),
      });
    }
  });

  test('does not fetch lists of other services', async () => {
    const entry = {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '5',
      statusListCredential: `https://elsewhere.example/credentials/v1/status-lists/${randomUUID()}`,
    };
    const { verified, checks } = await verify(await signed({ credentialStatus: [entry] }));
    expect(verified).toBe(false);
    expect(checks.status).toMatchObject({
      result: 'unknown',
      reason: expect.stringContaining('not fetched'),
    });
  });

  test('says so when there is no proof, or the key cannot be found', async () => {
    const { proof: _, ...unsigned } = await signed();
    expect((await verify(unsigned)).checks).toMatchObject({
      proof: { result: 'failed', reason: 'The document has no proof.' },
      issuer: { result: 'unknown' },
    });
    const { proof, ...content } = await signed();
    const foreign = { ...proof, verificationMethod: 'did:web:elsewhere.example#key' };
    expect((await verify({ ...content, proof: foreign })).checks.proof.result).toBe('unknown');
    expect((await verify({})).verified).toBe(false);
  });

  test('answers 400 without a credential, and 413 above 1 MiB', async () => {
    for (const body of [{}, [], { credential: 'x' }, { credential: {}, more: 1 }])
      expect((await send(service, 'POST', '/credentials/v1/verify', body)).status).toBe(400);
    const large = { credential: { x: 'y'.repeat(1 << 20) } };
    expect((await send(service, 'POST', '/credentials/v1/verify', large)).status).toBe(413);
  });
});
