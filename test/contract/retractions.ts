import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { startProvider } from '../access/provider.ts';
import { blobUrn } from '../builders/statements.ts';
import { json as jsonBody, oidcSettings, sendAs, tokenWith } from '../http/access-world.ts';
import { useService } from '../http/service.ts';
import type { StoreKind } from '../http/service-store.ts';
import { type Json, signedCredential, signingKey } from '../http/trusted-statements.ts';

const provider = await startProvider();

/** The rules of retractions, by requests to a service. */
export function retractionContract(kind: StoreKind): void {
  const service = useService(oidcSettings(provider), undefined, kind);
  const [author, stranger] = [signingKey(), signingKey()];
  type Signing = ReturnType<typeof signingKey>;

  let count = 0;
  function statementBy({ key }: Signing, fields: Json): Json {
    count += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString().replace('.000', '');
    return { '@context': ownContextUrl, registeredBy: key.did, timestamp, ...fields };
  }

  const register = (statement: Json, more: Json = {}) => put(statement, more, registrar);
  const dataBy = (by: Signing) => statementBy(by, { '@type': 'DataRegistration', data: blobUrn('data') });
  const retractionBy = (by: Signing, subject: string, more: Json = {}) =>
    statementBy(by, { '@type': 'RetractionRegistration', subject, reason: 'The data was wrong.', ...more });

  /** Statements are registered by one principal, and everything about them by another. */
  let [registrar, other] = ['', ''];
  beforeAll(async () => {
    registrar = await tokenWith(provider, { '*': permissions }, { sub: 'registrar' });
    other = await tokenWith(provider, { '*': permissions }, { sub: 'other' });
  });
  afterAll(async () => await provider[Symbol.asyncDispose]());

  const ask = (method: string, path: string, body?: unknown, token = other) =>
    sendAs(service, token, { method, path, ...(body !== undefined && jsonBody(body)) });

  async function put(statement: Json, more: Json = {}, token = other): Promise<string> {
    const body = { statement, generate_id: true, ...more };
    const { status, json, text } = await ask('PUT', '/statements/v1', body, token);
    expect([200, 201], text).toContain(status);
    return `urn:cid:${json.rdfc_cid}`;
  }

  async function idOf(statement: Json): Promise<string> {
    const { json } = await ask('POST', '/utils/v1/integrity/statement/compute-id', { statement });
    return `urn:cid:${json.rdfc_cid}`;
  }

  async function sign(id: string, by: Signing, more: Json = {}): Promise<void> {
    const credential = await signedCredential(id, more, by);
    await put(statementBy(by, { '@type': 'CredentialRegistration', credential }));
  }

  const verification = async (id: string) => (await ask('GET', `/statements/v1/id/${id}/verification`)).json;
  const trustIn = async (id: string) => (await verification(id)).trust;

  /** A statement, signed by its author, and its retraction, also signed. */
  async function retracted(statement: Json): Promise<{ id: string; retraction: string }> {
    const id = await register(statement);
    await sign(id, author);
    const retraction = await put(retractionBy(author, id));
    await sign(retraction, author);
    return { id, retraction };
  }

  describe('a retraction counts', () => {
    it('if the registrant has signed it, and the statement stays readable', async () => {
      const { id, retraction } = await retracted(dataBy(author));
      const trust = await trustIn(id);
      expect(trust).toEqual({
        state: 'retracted',
        by: author.key.did,
        by_registrant: true,
        valid: false,
        reason: 'The data was wrong.',
        retraction: { statement: retraction, timestamp: expect.stringMatching(/^2026-01-01T/), signed: true },
      });
      expect((await ask('GET', `/statements/v1/id/${id}`)).status).toBe(200);
      expect((await verification(id)).registrant).toEqual({ result: 'ok' });
      const found = (await ask('GET', `/cid/v1/find/${id}`)).json.statements;
      expect(found.find(({ role }: Json) => role === 'self').trust).toEqual(trust);
      const searched = await ask('GET', `/statements/v1?registered_by=${author.key.did}`);
      expect(searched.json.statements.some((one: Json) => (one.trust as Json).state === 'retracted')).toBe(
        true,
      );
      expect((await ask('GET', `/report/v1/${id}`)).text).toContain('retracted by its registrant');
    });

    it('in whatever order statement, retraction and signature arrive', async () => {
      const statement = dataBy(author);
      const id = await idOf(statement);
      const retraction = retractionBy(author, id);
      await sign(await idOf(retraction), author);
      await put(retraction);
      await register(statement);
      expect(await trustIn(id)).toMatchObject({ state: 'retracted', by: author.key.did });
    });

    it('by whoever has signed the proof in the statement, also with a proof of its own', async () => {
      const signer = signingKey();
      const contexts = { '@context': [ownContextUrl, 'https://w3id.org/security/data-integrity/v2'] };
      const proven = async (statement: Json) =>
        await addProof(signer, { ...statement, ...contexts }, { created: new Date('2026-01-31T12:00:00Z') });
      const id = await register(await proven(dataBy(author)));
      const retraction = retractionBy(signer, id);
      await put(await proven(retraction));
      expect(await trustIn(id)).toMatchObject({
        state: 'retracted',
        by: signer.key.did,
        by_registrant: false,
      });
    });

    it('however many strangers have stored that do not', async () => {
      const id = await register(dataBy(author));
      const others = Array.from({ length: 30 }, () => retractionBy(stranger, id));
      const forged = Array.from({ length: 30 }, () => retractionBy(author, id));
      const ids = await Promise.all([...others, ...forged].map((one) => put(one)));
      for (const one of ids.slice(0, 30)) await sign(one, stranger);
      expect(await trustIn(id)).toEqual({ state: 'claimed' });
      const genuine = await put(retractionBy(author, id));
      await sign(genuine, author);
      expect((await trustIn(id)).retraction.statement).toBe(genuine);
    });
  });

  describe('an unsigned retraction', () => {
    const newGraph = async () => {
      const graph_id = randomUUID();
      expect((await ask('PUT', '/graph/v1', { graph_id, name: 'a graph' })).status).toBe(201);
      return { graph_id };
    };

    it('counts if the principal who registered the statement has registered it in the same project', async () => {
      const [graph, elsewhere] = [await newGraph(), await newGraph()];
      const id = await register(dataBy(author), graph);
      await put(retractionBy(author, id), graph);
      await register(retractionBy(author, id), elsewhere);
      await register(retractionBy(author, id));
      expect(await trustIn(id)).toEqual({ state: 'claimed' });
      const retraction = await register(retractionBy(stranger, id), graph);
      expect(await trustIn(id)).toMatchObject({
        state: 'retracted',
        by: stranger.key.did,
        by_registrant: false,
        retraction: { statement: retraction, signed: false },
      });
    });

    it('counts also when it comes before the statement', async () => {
      const statement = dataBy(author);
      await register(retractionBy(author, await idOf(statement)));
      const id = await register(statement);
      expect(await trustIn(id)).toMatchObject({ state: 'retracted', retraction: { signed: false } });
    });

    it('does not count for somebody who stores the statement again', async () => {
      const statement = dataBy(author);
      const id = await register(statement);
      await put(statement);
      await put(retractionBy(author, id));
      expect(await trustIn(id)).toEqual({ state: 'claimed' });
    });
  });

  describe('a retraction has no effect', () => {
    it('if a stranger has signed it, who has signed the statement as well', async () => {
      const id = await register(dataBy(author));
      await sign(id, stranger);
      const retraction = await put(retractionBy(stranger, id));
      await sign(retraction, stranger);
      expect(await trustIn(id)).toMatchObject({ state: 'signed', by: stranger.key.did });
      const inTheirName = await put(retractionBy(author, id));
      await sign(inTheirName, stranger);
      expect(await trustIn(id)).toMatchObject({ state: 'signed' });
    });

    it('on another retraction, which stays', async () => {
      const { id, retraction } = await retracted(dataBy(author));
      const again = await put(retractionBy(author, retraction));
      await sign(again, author);
      expect(await trustIn(retraction)).toMatchObject({ state: 'signed' });
      expect(await trustIn(id)).toMatchObject({ state: 'retracted' });
    });

    it('if other contexts give its words another meaning', async () => {
      const id = await register(dataBy(author));
      const meaning = { '@id': 'https://eqtylab.io/terms/subject', '@type': '@id' };
      const context = {
        RetractionRegistration: 'https://eqtylab.io/terms/DataRegistration',
        subject: meaning,
      };
      const { '@context': _, ...rest } = retractionBy(author, id);
      const forged = { ...rest, '@context': [context, ownContextUrl] };
      const { status, json } = await ask('PUT', '/statements/v1', { statement: forged, generate_id: true });
      if (status === 201) await sign(`urn:cid:${json.rdfc_cid}`, author);
      expect((await trustIn(id)).state).not.toBe('retracted');
    });
  });

  describe('a retraction is refused', () => {
    it('if this service is asked to sign it in its own name', async () => {
      const id = await register(dataBy(author), { issue_vc: true });
      const { by } = await trustIn(id);
      const statement = { ...retractionBy(author, id), registeredBy: by };
      const body = { statement, generate_id: true, issue_vc: true };
      const { status, json } = await ask('PUT', '/statements/v1', body);
      expect([status, json.error]).toEqual([400, expect.stringContaining(by)]);
      await put(statement);
      expect(await trustIn(id)).toMatchObject({ state: 'signed', by });
    });

    it.each([
      ['of a blob', blobUrn('data')],
      ['of a DID', author.key.did],
      ['of nothing', undefined],
    ])('%s', async (_, subject) => {
      const { status, json } = await ask('PUT', '/statements/v1', {
        statement: retractionBy(author, subject as string),
        generate_id: true,
      });
      expect(status).toBe(400);
      expect(JSON.stringify(json)).toMatch(/\/subject/);
    });
  });

  describe('a lineage', () => {
    it('leaves retracted computations out unless they are asked for, and says how many', async () => {
      const [raw, clean, model] = ['raw', 'clean', 'model'].map((name) => blobUrn(`retracted ${name}`));
      const made = (input: unknown, output: unknown) =>
        statementBy(author, {
          '@type': 'ComputationRegistration',
          input,
          output,
          operatedBy: author.key.did,
        });
      await put(made(raw, clean));
      const { id } = await retracted(made(clean, model));
      const { json } = await ask('GET', `/lineage/v1/${model}`);
      expect(json.nodes.map((node: Json) => node.id)).toEqual([model]);
      expect(json.retracted).toBe(1);
      const all = (await ask('GET', `/lineage/v1/${model}?include_retracted=true`)).json;
      expect(all.nodes.map((node: Json) => node.id)).toContain(raw);
      expect(all.nodes.find((node: Json) => node.id === id).trust.state).toBe('retracted');
      expect(all.retracted).toBeUndefined();
      expect((await ask('GET', `/lineage/v1/${id}`)).json.nodes.length).toBeGreaterThan(1);
    });
  });
}
