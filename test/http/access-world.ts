import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { permissions as allPermissions } from '../../src/domain/access/grants.ts';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { TestProvider } from '../access/provider.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { type Answer, answerOf, type Service } from './service.ts';

/** Two projects with something in each, and a blob in none. Each project is a root graph of its own. */
export interface World {
  readonly alpha: Project;
  readonly beta: Project;
  /** The CID of a blob without statements. */
  readonly loose: string;
}

export interface Project {
  readonly id: string;
  /** The text of a blob to which its statement refers. */
  readonly text: string;
  readonly blob: string;
  /** An iroh collection with that blob in it, to which its statement refers too. */
  readonly collection: string;
  /** The id of a computation. */
  readonly run: string;
  readonly statement: { readonly statement_id: string; readonly jcs_cid: string; readonly rdfc_cid: string };
}

export interface Send {
  readonly method: string;
  readonly path: string;
  readonly body?: RequestInit['body'];
  readonly headers?: Readonly<Record<string, string>>;
}

export function oidcSettings(provider: TestProvider): Record<string, string> {
  return {
    CAIRN_AUTH_MODE: 'oidc',
    CAIRN_OIDC_ISSUER_URL: provider.issuer,
    CAIRN_OIDC_AUDIENCE: provider.audience,
    CAIRN_CLAIM_NAMESPACE: provider.namespace,
    CAIRN_TOKEN_FAILURE_RATE: '100000/1m',
  };
}

export async function tokenWith(provider: TestProvider, permissions: unknown, more = {}): Promise<string> {
  return await provider.accessToken({
    claims: { [`${provider.namespace}/permissions`]: permissions, ...more },
  });
}

export async function sendAs(
  service: Pick<Service, 'app'>,
  token: string | undefined,
  { method, path, body, headers }: Send,
): Promise<Answer> {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const init = { method, headers: { ...headers, ...authorization }, ...(body !== undefined && { body }) };
  return await answerOf(await service.app.request(path, init));
}

export const json = (value: unknown) => ({
  body: JSON.stringify(value),
  headers: { 'content-type': 'application/json' },
});

export const dataOf = (...texts: string[]) => ownStatement('DataRegistration', { data: texts.map(blobUrn) });

/**
 * Fills a service, with a caller who may do everything, one who may do it in the project `alpha` only, and one who may do it in
 * `beta` only.
 */
export async function newWorldWithCallers(service: Pick<Service, 'app'>, provider: TestProvider) {
  const everyone = await tokenWith(provider, { '*': allPermissions });
  const world = await newWorld(service, everyone);
  const of = async ({ id }: Project) => await tokenWith(provider, { [id]: allPermissions });
  return { world, everyone, ofAlpha: await of(world.alpha), ofBeta: await of(world.beta) };
}

/** Fills a service. @param token of a caller with all permissions. */
export async function newWorld(service: Pick<Service, 'app'>, token: string): Promise<World> {
  const put = async (path: string, sent: Omit<Send, 'method' | 'path'>) => {
    const answer = await sendAs(service, token, { method: 'PUT', path, ...sent });
    expect(answer.status, answer.text).toBeLessThan(300);
    return answer.json;
  };
  const putBytes = async (body: RequestInit['body'], query = '') =>
    (await put(`/store/v1/blob${query}`, { body, headers: { 'content-type': 'application/octet-stream' } }))
      .cid;
  const newProject = async (): Promise<Project> => {
    const [id, text] = [randomUUID(), `of ${randomUUID()}`];
    const { metadata: names, root } = encodeCollection([
      { name: 'file', digest: cidOf(codecs.raw, text).digest },
    ]);
    const blob = await putBytes(text);
    await putBytes(new Uint8Array(names));
    const collection = await putBytes(new Uint8Array(root), '?multicodec_code=128');
    await put('/graph/v1', json({ graph_id: id, name: `project ${id}` }));
    const statement = ownStatement('DataRegistration', {
      data: [`urn:cid:${blob}`, `urn:cid:${collection}`],
    });
    const { cid: metadata } = await put('/store/v1/jcs', json({ name: `named ${id}` }));
    const naming = ownStatement('MetadataRegistration', {
      subject: `urn:cid:${blob}`,
      metadata: `urn:cid:${metadata}`,
    });
    const run = ownStatement('ComputationRegistration', {
      input: `urn:cid:${blob}`,
      output: blobUrn(`made from ${text}`),
      operatedBy: 'did:web:operator.example',
    });
    const stored = await put(
      '/statements/v1/batch',
      json({ statements: [statement, naming, run], generate_id: true, graph_id: id }),
    );
    const [first, , third] = stored.results;
    return { id, text, blob, collection, run: third.statement_id, statement: first };
  };
  return { alpha: await newProject(), beta: await newProject(), loose: await putBytes(randomUUID()) };
}
