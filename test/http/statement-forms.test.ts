import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ownContext } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { startProvider } from '../access/provider.ts';
import { blobUrn, did, type Json } from '../builders/statements.ts';
import { dataOf, json, newWorldWithCallers, oidcSettings, sendAs, type World } from './access-world.ts';
import { useService } from './service.ts';

const ownContextText = ownContext.versions.get(ownContext.url) ?? '';

const provider = await startProvider();
const service = useService(oidcSettings(provider));
let world: World;
let genuine: string;
let stranger: string;

beforeAll(async () => {
  ({ world, ofAlpha: genuine, ofBeta: stranger } = await newWorldWithCallers(service, provider));
});
afterAll(async () => await provider[Symbol.asyncDispose]());

/** The text of a context that means the same as the service's own, under another CID. */
const otherContext = (name: string) => ownContextText.replace('{', `{"name":"${name}",`);
const contextUrl = (name: string) => cidUrn(cidOf(codecs.raw, otherContext(name)));

async function putContext(token: string, name: string): Promise<void> {
  const body = otherContext(name);
  const headers = { 'content-type': 'application/octet-stream' };
  const answer = await sendAs(service, token, { method: 'PUT', path: '/store/v1/blob', body, headers });
  expect(answer.status).toBe(200);
}

/** Stores a form of a statement. @returns its CIDs. */
async function put(token: string, statement: Json, graph_id?: string) {
  const sent = json({ statement, generate_id: true, ...(graph_id && { graph_id }) });
  const answer = await sendAs(service, token, { method: 'PUT', path: '/statements/v1', ...sent });
  expect(answer.status, answer.text).toBe(201);
  return answer.json as { readonly jcs_cid: string; readonly rdfc_cid: string };
}

const read = async (token: string, id: string) =>
  (await sendAs(service, token, { method: 'GET', path: `/statements/v1/id/${id}` })).json;

/** The same statement with another context, and with members that its id does not cover. */
const forged = (statement: Json, name: string) => ({
  ...statement,
  '@context': contextUrl(name),
  approved: `trust ${name}`,
});

describe('the form that answers for an id', () => {
  test('is the one in our own context, even if somebody stored another one first', async () => {
    const honest = dataOf(randomUUID());
    await putContext(stranger, 'mallory');
    const first = await put(stranger, forged(honest, 'mallory'), world.beta.id);
    expect(await read(genuine, first.rdfc_cid)).toHaveProperty('approved');
    const second = await put(genuine, honest, world.alpha.id);
    expect(second.rdfc_cid).toBe(first.rdfc_cid);
    for (const token of [genuine, stranger]) {
      const found = await read(token, first.rdfc_cid);
      expect(found).not.toHaveProperty('approved');
      expect(found['@context']).toBe(honest['@context']);
    }
    const path = `/statements/v1/id/${first.rdfc_cid}?jcs_cid=${first.jcs_cid}`;
    expect((await sendAs(service, genuine, { method: 'GET', path })).json).toHaveProperty('approved');
  });

  test('is one in a bundled context that its id covers', async () => {
    const honest = {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      type: ['VerifiableCredential'],
      issuer: did,
      credentialSubject: { id: blobUrn(randomUUID()) },
    };
    const first = await put(stranger, { ...honest, approved: 'trust me' });
    const second = await put(genuine, honest);
    expect(second.rdfc_cid).toBe(first.rdfc_cid);
    expect(await read(stranger, first.rdfc_cid)).not.toHaveProperty('approved');
  });

  test("is otherwise one of the caller's projects", async () => {
    const statement = dataOf(randomUUID());
    await putContext(stranger, 'mallory');
    await putContext(genuine, 'alice');
    const { rdfc_cid } = await put(stranger, forged(statement, 'mallory'), world.beta.id);
    await put(genuine, forged(statement, 'alice'), world.alpha.id);
    expect((await read(genuine, rdfc_cid)).approved).toBe('trust alice');
    expect((await read(stranger, rdfc_cid)).approved).toBe('trust mallory');
  });

  test('is not one that hides an inline context behind ours', async () => {
    const honest = dataOf(randomUUID());
    const inline = JSON.parse(ownContextText)['@context'];
    const hidden = { ...honest, '@context': inline, note: { '@context': honest['@context'], x: 'trust me' } };
    const first = await put(stranger, hidden, world.beta.id);
    const second = await put(genuine, honest, world.alpha.id);
    expect(second.rdfc_cid).toBe(first.rdfc_cid);
    expect(await read(stranger, first.rdfc_cid)).not.toHaveProperty('note');
  });
});
