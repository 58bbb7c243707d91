import { hash } from 'node:crypto';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect } from 'vitest';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { newGraph } from '../builders/graphs.ts';
import { blobUrn, did, type Json, ownStatement } from '../builders/statements.ts';
import { answers, type Filled, fill, identified, keep } from '../contract/filled-store.ts';

export const env = { CAIRN_WORKERS: '1' };

let template: Promise<{ path: string; filled: Filled }> | undefined;

/** A copy of a data folder that is filled once. */
export async function filledFolder(path: string): Promise<Filled> {
  template ??= fillTemplate();
  const { path: from, filled } = await template;
  cpSync(from, path, { recursive: true });
  return filled;
}

async function fillTemplate() {
  const path = mkdtempSync(join(tmpdir(), 'cairn-filled-'));
  process.once('exit', () => rmSync(path, { recursive: true, force: true }));
  await using store = await openEmbedded(path);
  return { path, filled: await fill(store) };
}

export async function answersOf(path: string, filled: Filled) {
  await using store = await openEmbedded(path);
  return await answers(store, filled);
}

/** Answers of a service on a store: all manifests, the newest statements, references and a lineage. */
export async function served(environment: Readonly<Record<string, string>>) {
  const settings = readSettings({ ...environment, CAIRN_WORKERS: '1', CAIRN_LOG_LEVEL: 'silent' });
  await using integrity = await openIntegrity(settings, pino({ level: 'silent' }));
  const get = async (path: string, accept = 'application/json') => {
    const response = await integrity.app.request(path, { headers: { accept } });
    expect(response.status).toBe(200);
    return await response.bytes();
  };
  const json = async (path: string) => JSON.parse(Buffer.from(await get(path)).toString());
  const everything = '/manifest/v1?include_context=true&include_blobs=true';
  const { statements } = await json('/statements/v1?limit=1000');
  const { statements: references } = await json(`/cid/v1/find/${did}?limit=1000`);
  return {
    manifest: hash('sha256', await get(everything)),
    car: hash('sha256', await get(everything, 'application/vnd.ipld.car')),
    statements: statements.map(({ statement, graph_ids }: Json) => [statement, graph_ids]),
    references,
    lineage: await json(`/lineage/v1/${did}?direction=both`),
    graphs: await json('/graph/v1'),
  };
}

/** A source that takes long enough to interrupt its migration. */
export async function longMigration(folder: string, count = 1_500) {
  const [from, to] = [join(folder, 'from'), join(folder, 'to')];
  await manyStatements(from, count);
  return { from, to, options: { env }, args: ['migrate', '--from', from, '--to', to, '--json'] };
}

/** Statements in alternating graphs, some of them in more than one. */
export async function manyStatements(path: string, count = 1_500): Promise<void> {
  await using store = await openEmbedded(path);
  const graphs = [newGraph({ name: 'one' }), newGraph({ name: 'two' }), newGraph({ name: 'three' })];
  for (const graph of graphs) await store.graphs.add(graph);
  const identifier = newIdentifier();
  const rows = await Promise.all(
    Array.from({ length: count }, (_, at) =>
      identified(identifier, ownStatement('DataRegistration', { data: blobUrn(`many ${at}`) })),
    ),
  );
  for (const { contexts } of rows.slice(0, 1)) await keep(store.blobs, identifier.world, contexts);
  for (let at = 0; at < rows.length; at += 150) {
    const part = rows.slice(at, at + 150);
    await store.statements.putMany(part, graphs[(at / 150) % 3]?.graphId ?? null);
    await store.statements.putMany(part.slice(0, 10), graphs[(at / 150 + 1) % 3]?.graphId ?? null);
  }
}

export function newIdentifier(): StatementIdentifier {
  return new StatementIdentifier(ContextWorld.bundled());
}
