import { ServiceError } from '../../errors.ts';
import type { ContentReach } from '../access/content-reach.ts';
import { blobSizeFor } from '../access/statement-scope.ts';
import { cidIn, codecs } from '../identifiers/cid.ts';
import type { BlobStore, StatementScope } from '../ports.ts';
import type { RetractedReader } from '../signatures/trust.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { type ReferringStatement, referringStatement } from '../statements/rows.ts';
import { statementNode } from './edges.ts';
import type { Lineage } from './graph.ts';
import { withoutRetracted } from './retracted.ts';
import { type LineageQuery, LineageTrace } from './trace.ts';

/** Limits of a traversal: `depth` counts computations between the start and a node, `limit` counts nodes. */
export const lineageBounds = {
  depth: { least: 0, most: 100, usual: 10 },
  limit: { least: 1, most: 10_000, usual: 500 },
} as const;

export interface LineagePorts {
  readonly statementIndex: Pick<StatementIndex, 'form' | 'forms' | 'referringTo' | 'references'>;
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly reach: ContentReach;
}

/**
 * What a thing was made from, what was made from it, and what is stated about all of them: breadth first along
 * computations, within limits. Nodes note how many of their edges are left out.
 * @param retracted computations that it names are left out. Default: all are shown.
 * @throws ServiceError `not_found` if no visible statement mentions it.
 */
export async function traceLineage(
  { statementIndex, blobs, reach }: LineagePorts,
  query: LineageQuery,
  scope: StatementScope,
  retracted?: RetractedReader,
): Promise<Lineage> {
  const statement = await statementNamed(statementIndex, query.start, scope);
  const start = statement ? statementNode(statement) : query.start;
  const leftOut = new Set<string>();
  const index = retracted ? withoutRetracted(statementIndex, retracted, start, leftOut) : statementIndex;
  const traced = await new LineageTrace(index, { ...query, start }, scope, statement).run();
  const lineage = { ...traced, ...(leftOut.size > 0 && { retracted: leftOut.size }) };
  const isKnown =
    statement !== undefined || lineage.edges.length > 0 || lineage.isTruncated || leftOut.size > 0;
  if (isKnown || (await blobSizeFor({ blobs, reach }, start, scope)) !== undefined) return lineage;
  // What was never made has nothing upstream, and what was never used nothing downstream.
  const spoken = await statementIndex.references(start, { after: null, limit: 1 }, scope);
  if (spoken.references.length > 0) return lineage;
  throw new ServiceError('not_found', `Nothing that you may see speaks of ${query.start}.`);
}

async function statementNamed(
  index: Pick<StatementIndex, 'form' | 'forms'>,
  start: string,
  scope: StatementScope,
): Promise<ReferringStatement | undefined> {
  const cid = cidIn(start);
  if (cid?.codec === codecs.rdfc) {
    const { statements } = await index.forms(cid, { after: null, limit: 1 }, scope);
    return statements[0] && referringStatement(statements[0]);
  }
  const form = cid?.codec === codecs.jcs ? await index.form(cid, scope) : undefined;
  return form && referringStatement(form);
}
