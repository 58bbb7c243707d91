import { hash } from 'node:crypto';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import type { BlobStore, Graph, StatementRow } from '../../src/domain/integrity/ports.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { identified, keep } from '../contract/filled-store.ts';

/** A write that can be sent to another process. */
export interface NumberedWrite {
  readonly number: number;
  readonly rows: readonly StatementRow[];
  readonly graph: Graph;
  readonly as: 'batch' | 'import' | 'abandoned import';
}

export const batchGraphs = ['one', 'two'].map(graphNamed);
const world = ContextWorld.bundled();
const identifier = new StatementIdentifier(world);

/** Returns the same graph for the same name in every process. */
function graphNamed(name: string): Graph {
  const hex = hash('sha256', name);
  const graphId = `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
  return { graphId, name: `graph ${name}`, parentId: null, projectId: graphId };
}

/** Stores the context documents that a check needs. */
export async function keepContexts(blobs: BlobStore): Promise<void> {
  const { contexts } = await identified(identifier, sample(0, 0));
  await keep(blobs, world, contexts);
}

/**
 * New statements, two forms of one of them, and some of the previous write, now trusted and under another graph. Every
 * fifth write is an imported graph, and every fifth one is a graph whose import is abandoned.
 */
export async function numberedWrite(number: number): Promise<NumberedWrite> {
  const graph = batchGraphs[number % 2] ?? graphNamed('');
  if (number % 5 === 3)
    return { number, rows: await newRows(number), graph: graphNamed(`import ${number}`), as: 'import' };
  if (number % 5 === 4)
    return { number, rows: await newRows(number), graph: graphNamed('never'), as: 'abandoned import' };
  const before = number > 0 ? await newRows(number - 1) : [];
  const trusted = before.slice(0, 4).map((row) => ({ ...row, isTrusted: true }));
  return { number, rows: [...trusted, ...(await newRows(number))], graph, as: 'batch' };
}

async function newRows(number: number): Promise<StatementRow[]> {
  const forms = await Promise.all(
    [0, 1, 2, 3, 4, 5, 6].map((at) => identified(identifier, sample(number, at))),
  );
  return forms.map((row, at) => ({ ...row, isTrusted: at % 3 > 0 }));
}

/** The first two are forms of one statement. */
function sample(number: number, at: number) {
  const own = blobUrn(`${number} ${Math.max(at, 1)}`);
  return ownStatement('DataRegistration', { data: at === 0 ? [blobUrn('hub'), own] : [own, blobUrn('hub')] });
}
