import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { credentialIdOf } from '../../src/domain/integrity/signatures/statement-credential.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey } from '../builders/keys.ts';
import { send, useService } from './service.ts';
import { type Json, signedCredential, signingKey, trusted } from './trusted-statements.ts';

const service = useService();
const { key, statement, registration, put, verification, allocate, revoke } = trusted(service);

const trustIn = async (id: string) => (await verification(id)).trust;
const putBatch = async (statements: readonly unknown[]) =>
  await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true });

describe('the trust in a statement', () => {
  it('is that of the registrant, however many others have signed or claimed to before', async () => {
    const { rdfc_cid } = (await put(statement())).json;
    const subject = `urn:cid:${rdfc_cid}`;
    const unsigned = Array.from({ length: 110 }, () =>
      registration({ ...newCredential({ issuer: key.did, credentialSubject: { id: subject } }) }),
    );
    const stranger = signingKey();
    const others = await Promise.all(
      Array.from({ length: 25 }, async () => registration(await signedCredential(subject, {}, stranger))),
    );
    await putBatch([...unsigned, ...others]);
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', by: stranger.key.did });
    // Copies of an expired credential of the registrant prove nothing new either.
    const expired = await signedCredential(subject, { validUntil: '2021-01-01T00:00:00Z' });
    await putBatch(Array.from({ length: 25 }, () => registration(expired)));
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', by: key.did, valid: false });
    await put(registration(await signedCredential(subject)));
    const { trust, registrant, signatures } = await verification(rdfc_cid);
    expect(trust).toEqual({ state: 'signed', by: key.did, by_registrant: true, valid: true });
    expect(registrant).toEqual({ result: 'ok' });
    expect(signatures).toHaveLength(100);
    const found = (await send(service, 'GET', `/cid/v1/find/${rdfc_cid}?limit=1`)).json.statements;
    expect(found[0].trust).toEqual(trust);
  });

  it('does not follow a credential that somebody else has allocated with the same id', async () => {
    const { rdfc_cid, credential_id } = (await put(statement(), { issue_vc: true })).json;
    const own = await signedCredential(`urn:cid:${rdfc_cid}`);
    await put(registration(own));
    const before = await verification(rdfc_cid);
    for (const id of [credential_id, own.id]) {
      const { credentialStatus } = (await allocate(newCredential({ id, issuer: newKey().did }))).json;
      for (const entry of credentialStatus) expect((await revoke(id, entry)).status).toBe(200);
    }
    expect(await verification(rdfc_cid)).toEqual(before);
    expect(before.trust).toMatchObject({ by_registrant: true, valid: true });
  });

  it('follows the entries that a client has allocated and signed', async () => {
    const { rdfc_cid } = (await put(statement())).json;
    const unsigned = newCredential({ issuer: key.did, credentialSubject: { id: `urn:cid:${rdfc_cid}` } });
    const allocated = (await allocate(unsigned)).json;
    await put(registration(await signedCredential('', allocated)));
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', valid: true });
    const [revocation, suspension] = allocated.credentialStatus;
    await revoke(unsigned.id, suspension);
    expect(await trustIn(rdfc_cid)).toMatchObject({ valid: false, reason: 'The credential is suspended.' });
    await revoke(unsigned.id, revocation);
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'revoked', by: key.did });
  });
});

describe('a status entry', () => {
  it('counts only for the issuer of the credential that it was allocated for', async () => {
    const id = `urn:uuid:${randomUUID()}`;
    const allocated = (await allocate(newCredential({ id, issuer: key.did }))).json;
    const verify = async (credential: Json) =>
      (await send(service, 'POST', '/credentials/v1/verify', { credential })).json;
    expect(await verify(await signedCredential('', allocated))).toMatchObject({ verified: true });
    const stranger = signingKey();
    const forged = await signedCredential('', { ...allocated, issuer: stranger.key.did }, stranger);
    expect((await verify(forged)).checks).toMatchObject({
      proof: { result: 'ok' },
      status: { result: 'failed', reason: expect.stringContaining('does not belong to this credential') },
    });
  });
});

describe('a credential of issue_vc', () => {
  it('can be revoked, and its statement with it', async () => {
    const given = statement();
    const { rdfc_cid, credential_id, credential_cid } = (await put(given, { issue_vc: true })).json;
    const credential = JSON.parse((await send(service, 'GET', `/store/v1/blob/${credential_cid}`)).text);
    const entry = { type: 'BitstringStatusListEntry' };
    expect(credential.credentialStatus).toMatchObject([
      { ...entry, statusPurpose: 'revocation' },
      { ...entry, statusPurpose: 'suspension' },
    ]);
    const [revocation] = credential.credentialStatus;
    const statusOf = async () =>
      (await send(service, 'GET', `/credentials/v1/status?credential_id=${credential_id}`)).json;
    expect(await statusOf()).toMatchObject({ credential_id, revoked: false, suspended: false });
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', valid: true });
    const refused = await revoke(`urn:uuid:${randomUUID()}`, revocation);
    expect([refused.status, refused.json.code]).toEqual([404, 'not_found']);

    const answer = await revoke(credential_id, revocation);
    expect([answer.status, answer.json]).toEqual([200, credential]);
    expect(await statusOf()).toMatchObject({ revoked: true, suspended: false });
    const byEntry = new URLSearchParams({
      status_list_credential: revocation.statusListCredential,
      status_list_index: revocation.statusListIndex,
    });
    expect((await send(service, 'GET', `/credentials/v1/status?${byEntry}`)).json).toEqual(await statusOf());
    const verified = (await send(service, 'POST', '/credentials/v1/verify', { credential })).json;
    expect(verified.checks.status).toEqual({ result: 'failed', reason: 'The credential is revoked.' });
    const revoked = { state: 'revoked', valid: false };
    expect(await trustIn(rdfc_cid)).toMatchObject(revoked);
    const found = (await send(service, 'GET', `/cid/v1/find/${rdfc_cid}`)).json.statements;
    expect(found.map((one: Json) => one.trust)).toMatchObject([revoked, revoked]);
    const lineage = (await send(service, 'GET', `/lineage/v1/${rdfc_cid}`)).json;
    expect(JSON.stringify(lineage)).toContain('"state":"revoked"');
    expect((await put(given, { issue_vc: true })).json).toMatchObject({ credential_id, credential_cid });
    const batch = { statements: [given, statement()], generate_id: true, issue_vc: true };
    const others = (await send(service, 'PUT', '/statements/v1/batch', batch)).json.results;
    expect(others[0]).toMatchObject({ credential_id, credential_cid });
    expect((await revoke(others[1].credential_id, revocation)).json.code).toBe('invalid_request');
  });

  it('can be suspended for a while, and its statement with it', async () => {
    const { rdfc_cid, credential_id, credential_cid } = (await put(statement(), { issue_vc: true })).json;
    const { text } = await send(service, 'GET', `/store/v1/blob/${credential_cid}`);
    const [, suspension] = JSON.parse(text).credentialStatus;
    const suspend = async (status: boolean) =>
      (await revoke(credential_id, { ...suspension, status })).status;
    expect(await suspend(true)).toBe(200);
    const suspended = { state: 'signed', valid: false, reason: 'The credential is suspended.' };
    expect(await trustIn(rdfc_cid)).toMatchObject(suspended);
    expect(await suspend(false)).toBe(200);
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', valid: true });
  });

  it('has entries that nobody gets by allocating its id first', async () => {
    const given = statement();
    const { rdfc_cid } = (
      await send(service, 'POST', '/utils/v1/integrity/statement/compute-id', { statement: given })
    ).json;
    const did = (await send(service, 'PUT', `/statements/v1/create/did/${key.did}`)).json.statement
      .registeredBy;
    const id = credentialIdOf(`urn:cid:${rdfc_cid}`, did);
    const { credentialStatus } = (await allocate(newCredential({ id, issuer: did }))).json;
    expect((await put(given, { issue_vc: true })).json.credential_id).toBe(id);
    expect((await revoke(id, credentialStatus[0])).status).toBe(200);
    expect(await trustIn(rdfc_cid)).toMatchObject({ state: 'signed', valid: true });
  });
});
