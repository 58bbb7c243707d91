import { randomUUID } from 'node:crypto';
import { describe, expect, it, vi } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { credentialIdOf } from '../../src/domain/integrity/signatures/statement-credential.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { send, useService } from './service.ts';

const service = useService();
const other = useService({ CAIRN_MAX_STATEMENT_BYTES: '2MiB' });
const key = newKey();
const signing = { identifier: canonicalizer(), signer: signerWith(key) };
const created = new Date('2026-01-31T12:00:00Z');
let count = 0;

type Json = Readonly<Record<string, unknown>>;

function data(more: Json = {}): Json {
  count += 1;
  return {
    '@context': ownContextUrl,
    '@type': 'DataRegistration',
    data: `urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu`,
    registeredBy: key.did,
    timestamp: new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString().replace('.000', ''),
    ...more,
  };
}

const put = async (statement: unknown, more: Json = {}) =>
  await send(service, 'PUT', '/statements/v1', { statement, generate_id: true, ...more });
const putBatch = async (statements: readonly unknown[], more: Json = {}) =>
  await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true, ...more });
const get = async (path: string) => await send(service, 'GET', path);
const verification = async (id: string) => (await get(`/statements/v1/id/${id}/verification`)).json;

async function newGraph(): Promise<string> {
  const graph_id = randomUUID();
  await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph' });
  return graph_id;
}

async function serviceDid(): Promise<string> {
  return (await send(service, 'PUT', `/statements/v1/create/did/${key.did}`)).json.statement.registeredBy;
}

/** A CredentialRegistration with a credential that this key has signed. */
async function registration(subject: string, more: Json = {}): Promise<Json> {
  const unsigned = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: `urn:uuid:${randomUUID()}`,
    type: ['VerifiableCredential'],
    issuer: key.did,
    credentialSubject: { id: subject },
    ...more,
  };
  const credential = await addProof(signing, unsigned, { created });
  return { ...data(), '@type': 'CredentialRegistration', data: undefined, credential };
}

describe('issue_vc', () => {
  it('issues a credential that is registered, can be read and proves who vouches for the statement', async () => {
    const graph_id = await newGraph();
    const answer = await put(data(), { graph_id, issue_vc: true });
    expect(answer.status).toBe(201);
    const { rdfc_cid, credential_id, credential_cid } = answer.json;
    const did = await serviceDid();
    expect(credential_id).toBe(credentialIdOf(`urn:cid:${rdfc_cid}`, did));
    const credential = (await get(`/store/v1/blob/${credential_cid}`)).text;
    expect(JSON.parse(credential)).toMatchObject({
      id: credential_id,
      issuer: did,
      credentialSubject: { id: `urn:cid:${rdfc_cid}` },
      proof: { cryptosuite: 'eddsa-rdfc-2022' },
    });
    expect((await get(`/store/v1/exists/${credential_cid}`)).json.exists).toBe(true);
    const { statements } = (await get(`/cid/v1/find/${rdfc_cid}?graph_id=${graph_id}`)).json;
    expect(statements.map(({ role }: Json) => role)).toEqual(['self', 'credentialSubject']);
    const trust = { state: 'signed', by: did, by_registrant: false, valid: true };
    expect(statements.map((one: Json) => one.trust)).toEqual([trust, { ...trust, by_registrant: true }]);
  });

  it('answers the same credential again, and registers it in another graph', async () => {
    const statement = data();
    const first = await put(statement, { issue_vc: true });
    const again = await put(statement, { issue_vc: true });
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    const graph_id = await newGraph();
    const elsewhere = await put(statement, { issue_vc: true, graph_id });
    expect([elsewhere.status, elsewhere.json]).toEqual([201, first.json]);
    expect((await put(statement, { issue_vc: true, graph_id })).status).toBe(200);
    const { graphs } = (await get('/graph/v1')).json;
    expect(graphs.find((one: Json) => one.graph_id === graph_id).statements).toBe(2);
  });

  it('issues one for a statement that was stored without, with its @id', async () => {
    const statement = data();
    const { rdfc_cid } = (await put(statement)).json;
    const withId = { ...statement, '@id': `urn:cid:${rdfc_cid}` };
    const answer = await put(withId, { generate_id: false, issue_vc: true });
    expect([answer.status, answer.json.rdfc_cid]).toEqual([201, rdfc_cid]);
    expect(answer.json.credential_cid).toMatch(/^baga6yaq6e/);
  });

  it('issues one for each statement of a batch, also for repeated ones', async () => {
    const [one, other] = [data(), data()];
    const { status, json } = await putBatch([one, other, one], { issue_vc: true });
    expect(status).toBe(201);
    const ids = json.results.map((result: Json) => result.credential_id);
    expect([ids[0] === ids[2], ids[0] === ids[1]]).toEqual([true, false]);
    const again = await putBatch([other, one], { issue_vc: true });
    expect([again.status, again.json.results]).toEqual([200, [json.results[1], json.results[0]]]);
    expect((await putBatch([], { issue_vc: true })).json).toEqual({ results: [] });
  });

  it('answers one credential to requests at the same time', async () => {
    const statement = data();
    const answers = await Promise.all([1, 2, 3, 4].map(() => put(statement, { issue_vc: true })));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  it('trusts each registration that requests in different seconds have made at the same time', async () => {
    const statement = data();
    const start = Date.now();
    let seconds = 0;
    class SteppingDate extends Date {
      constructor(time: number | string | Date = start + (seconds++ % 60) * 1_000) {
        super(time);
      }
    }
    vi.stubGlobal('Date', SteppingDate);
    const answers = await Promise.all([1, 2, 3, 4].map(() => put(statement, { issue_vc: true })));
    vi.unstubAllGlobals();
    const { statements } = (await get(`/cid/v1/find/${answers[0]?.json.rdfc_cid}`)).json;
    const registrations: Json[] = statements.filter(({ type }: Json) => type === 'CredentialRegistration');
    expect(new Set(answers.map(({ json }) => json.credential_cid)).size).toBe(1);
    expect(registrations.length).toBeGreaterThan(1);
    for (const { trust } of registrations)
      expect(trust).toMatchObject({ state: 'signed', by_registrant: true });
  });

  it('stores nothing if a statement is refused', async () => {
    const statement = data();
    const { status } = await putBatch([statement, { wrong: true }], { issue_vc: true });
    expect(status).toBe(400);
    expect((await put(statement)).status).toBe(201);
  });
});

describe('statements signed by others', () => {
  it('are signed if a credential by the key of the registrant vouches for them', async () => {
    const { rdfc_cid } = (await put(data())).json;
    const before = await verification(rdfc_cid);
    expect(before).toMatchObject({
      trust: { state: 'claimed' },
      registrant: { result: 'unknown', reason: `No known signature is by ${key.did}.` },
      signatures: [],
    });
    await put(await registration(`urn:cid:${rdfc_cid}`));
    const after = await verification(rdfc_cid);
    expect(after).toMatchObject({
      registered_by: key.did,
      trust: { state: 'signed', by: key.did, by_registrant: true, valid: true },
      registrant: { result: 'ok' },
      signatures: [{ kind: 'credential', signer: key.did, result: 'ok', is_registrant: true }],
    });
  });

  it('can carry the proof themselves', async () => {
    const context = [ownContextUrl, 'https://w3id.org/security/data-integrity/v2'];
    const signed = await addProof(signing, data({ '@context': context }), { created });
    const { status, json } = await put(signed);
    expect(status).toBe(201);
    expect(await verification(json.rdfc_cid)).toMatchObject({
      trust: { state: 'signed', by: key.did, by_registrant: true },
      signatures: [{ kind: 'proof', result: 'ok' }],
    });
    const forged = await put({ ...signed, timestamp: '2026-02-01T00:00:00Z' });
    expect(await verification(forged.json.rdfc_cid)).toMatchObject({
      trust: { state: 'claimed' },
      registrant: { result: 'failed' },
      signatures: [{ kind: 'proof', result: 'failed', reason: expect.any(String) }],
    });
  });

  it('say so if the key is not that of the registrant, or the signature does not hold', async () => {
    const { rdfc_cid } = (await put(data({ registeredBy: newKey().did }))).json;
    const subject = `urn:cid:${rdfc_cid}`;
    const signed = await registration(subject);
    await put({ ...signed, credential: { ...(signed.credential as Json), name: 'changed' } });
    expect((await verification(rdfc_cid)).trust).toEqual({ state: 'claimed' });
    await put(signed);
    const { trust, registrant } = await verification(rdfc_cid);
    expect(trust).toMatchObject({ state: 'signed', by: key.did, by_registrant: false });
    expect(registrant.reason).toContain(`${key.did} signed it instead`);
  });

  it('do not count before and after the time of the credential', async () => {
    const { rdfc_cid } = (await put(data())).json;
    const dates = { validFrom: '2020-01-01T00:00:00Z', validUntil: '2021-01-01T00:00:00Z' };
    await put(await registration(`urn:cid:${rdfc_cid}`, dates));
    expect((await verification(rdfc_cid)).trust).toMatchObject({
      state: 'signed',
      valid: false,
      reason: 'The credential expired at 2021-01-01T00:00:00Z.',
    });
  });

  it.each([
    [30_000, true],
    [180_000, false],
  ])('count if the clock of the signer is a little ahead: %i ms, %s', async (aheadMs, valid) => {
    const { rdfc_cid } = (await put(data())).json;
    const validFrom = new Date(Date.now() + aheadMs).toISOString();
    await put(await registration(`urn:cid:${rdfc_cid}`, { validFrom }));
    expect((await verification(rdfc_cid)).trust).toMatchObject({ state: 'signed', valid });
  });

  it('are stored and marked if they cannot be checked', async () => {
    const { rdfc_cid } = (await put(data())).json;
    const signed = await registration(`urn:cid:${rdfc_cid}`);
    const proof = {
      ...((signed.credential as Json).proof as Json),
      verificationMethod: 'did:web:example.org#key',
    };
    const answer = await put({ ...signed, credential: { ...(signed.credential as Json), proof } });
    expect(answer.status).toBe(201);
    const { signatures, trust } = await verification(rdfc_cid);
    expect(trust).toEqual({ state: 'claimed' });
    expect(signatures).toMatchObject([
      { result: 'unknown', reason: expect.stringContaining('did:web:example.org') },
    ]);
  });

  it('are marked if they are too large to be checked', async () => {
    const { credential, ...rest } = await registration(`urn:x:y`);
    const statement = { ...rest, credential: { ...(credential as Json), name: 'x'.repeat(1 << 20) } };
    const { json } = await send(other, 'PUT', '/statements/v1', { statement, generate_id: true });
    const { signatures } = (await send(other, 'GET', `/statements/v1/id/${json.rdfc_cid}/verification`)).json;
    expect(signatures).toMatchObject([
      { result: 'unknown', reason: expect.stringContaining('1048576 bytes') },
    ]);
  });

  it('have no verification if they do not exist', async () => {
    const answer = await get(
      `/statements/v1/id/bagb6qaq6ede2dkg2ogwka77vahezwtm5otp6bsre2mdi4zndtvxeoqdpn6g64/verification`,
    );
    expect([answer.status, answer.json.code]).toEqual([404, 'not_found']);
  });
});

describe('a manifest', () => {
  it('brings its signatures along: they are checked again where it is imported', async () => {
    const graph_id = await newGraph();
    const { rdfc_cid } = (await put(data(), { graph_id })).json;
    await put(await registration(`urn:cid:${rdfc_cid}`), { graph_id });
    const manifest = (await get(`/manifest/v1?graph_ids=${graph_id}&include_context=true`)).text;
    const imported = await send(other, 'POST', '/manifest/v1', manifest);
    expect(imported.status).toBe(201);
    const { trust } = (await send(other, 'GET', `/statements/v1/id/${rdfc_cid}/verification`)).json;
    expect(trust).toMatchObject({ state: 'signed', by: key.did, by_registrant: true });
  });
});
