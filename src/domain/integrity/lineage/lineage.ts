import { ServiceError } from '../../errors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { ContentReach } from '../access/content-reach.ts';
import { learntNames } from '../access/learnt-names.ts';
import { blobSizeFor } from '../access/statement-scope.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import type { Folders } from '../folders/folders.ts';
import { cidIn, codecs } from '../identifiers/cid.ts';
import type { NameIndex } from '../names/name-index.ts';
import type { BlobStore, StatementScope, StoredStatement } from '../ports.ts';
import { type DescribingPorts, describeRuns } from '../runs/described.ts';
import { resultOf } from '../runs/run-document.ts';
import { registrantOf } from '../signatures/proven.ts';
import type { Claim, RetractedReader, Trust, TrustReader } from '../signatures/trust.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { referringStatement } from '../statements/rows.ts';
import { isComputation, statementNode } from './edges.ts';
import type { Lineage } from './graph.ts';
import { OneNode, type Selection, splitNode } from './one-node.ts';
import { type LineageQuery, LineageTrace } from './trace.ts';

/** Limits of a traversal: `depth` counts computations between the start and a node, `limit` counts nodes. */
export const lineageBounds = {
  depth: { least: 0, most: 10_000, usual: 10 },
  limit: { least: 1, most: 10_000, usual: 500 },
} as const;

export interface LineagePorts {
  readonly statementIndex: Pick<StatementIndex, 'form' | 'forms' | 'referringTo' | 'references'>;
  readonly blobs: Pick<BlobStore, 'size'>;
  readonly reach: ContentReach;
  readonly sameBytes: SameBytes;
  readonly folders: Folders;
}

/**
 * What a thing was made from, what was made from it, and what is stated about all of them: breadth first along
 * computations, within limits. Nodes note how many of their edges are left out.
 * @param retracted computations that it names are left out. Default: all are shown.
 * @throws ServiceError `not_found` if no visible statement mentions it.
 */
export async function traceLineage(
  { statementIndex, blobs, reach, sameBytes, folders }: LineagePorts,
  query: LineageQuery,
  scope: StatementScope,
  retracted?: RetractedReader,
): Promise<Lineage> {
  const nodes = new OneNode(learntNames({ sameBytes, reach }, scope), scope);
  const stored = await statementNamed(statementIndex, query.start, scope);
  const statement = stored && (await nodes.startStatement(referringStatement(stored), stored.graphIds[0]));
  const start = statement ? statementNode(statement) : await nodes.startAt(query.start);
  const leftOut = new Set<string>();
  const index = nodes.index(statementIndex, retracted && withoutRetracted(retracted, start, leftOut));
  const traced = await new LineageTrace(
    nodes.folders(folders),
    index,
    { ...query, start },
    scope,
    statement,
  ).run();
  const lineage = { ...traced, ...(leftOut.size > 0 && { retracted: leftOut.size }) };
  const isKnown =
    statement !== undefined || lineage.edges.length > 0 || lineage.isTruncated || leftOut.size > 0;
  if (isKnown || (await blobSizeFor({ blobs, reach, sameBytes }, query.start, scope)) !== undefined)
    return lineage;
  // What was never made has nothing upstream, and what was never used nothing downstream.
  const spoken = await statementIndex.references(nodes.namesOf(start), { after: null, limit: 1 }, scope);
  if (spoken.references.length > 0) return lineage;
  throw new ServiceError('not_found', `Nothing that you may see speaks of ${query.start}.`);
}

async function statementNamed(
  index: Pick<StatementIndex, 'form' | 'forms'>,
  start: string,
  scope: StatementScope,
): Promise<StoredStatement | undefined> {
  const cid = cidIn(start);
  if (cid?.codec === codecs.rdfc)
    return (await index.forms(cid, { after: null, limit: 1 }, scope)).statements[0];
  return cid?.codec === codecs.jcs ? await index.form(cid, scope) : undefined;
}

const claimsAtOnce = 500;

/**
 * Leaves retracted computations out of answers.
 * @param start stays although it may be retracted, because it was asked for.
 * @param leftOut receives the ids of those that are left out.
 */
function withoutRetracted(retracted: RetractedReader, start: string, leftOut: Set<string>): Selection {
  const known = new Set([start]);
  return async (answers) => {
    const registrants = new Map(
      answers
        .flatMap(({ found }) => found)
        .filter(({ statement: { kind } }) => isComputation(kind))
        .map(({ statement }) => [statementNode(statement), registrantOf(statement)] as const)
        .filter(([id]) => !known.has(id)),
    );
    const claims = Array.from(registrants, ([id, registeredBy]) => ({ id, registeredBy }));
    for (let at = 0; at < claims.length; at += claimsAtOnce)
      for (const id of await retracted(claims.slice(at, at + claimsAtOnce))) leftOut.add(id);
    for (const { id } of claims) known.add(id);
    if (leftOut.size === 0) return answers;
    return answers.map((answer) => ({
      ...answer,
      found: answer.found.filter(({ statement }) => !leftOut.has(statementNode(statement))),
    }));
  };
}

/** The trust in each statement that is a node or makes an edge, by id. */
export async function trustInLineage(
  trust: TrustReader,
  { nodes, edges }: Lineage,
): Promise<ReadonlyMap<string, Trust>> {
  const registrants = registrantsIn(edges);
  for (const { id, kind } of nodes)
    if (kind === 'statement' && !registrants.has(id)) registrants.set(id, undefined);
  const claims = Array.from(registrants, ([id, registeredBy]): Claim => ({ id, registeredBy }));
  const found = new Map<string, Trust>();
  for (let at = 0; at < claims.length; at += claimsAtOnce) {
    for (const [id, one] of await trust(claims.slice(at, at + claimsAtOnce))) found.set(id, one);
    await yieldToEventLoop();
  }
  return found;
}

function registrantsIn(edges: Lineage['edges']): Map<string, string | undefined> {
  return new Map(edges.map(({ statement, registeredBy }) => [statement, registeredBy]));
}

/** The lineage with a mark on each computation that failed. */
export async function withFailures(
  ports: DescribingPorts,
  lineage: Lineage,
  scope: StatementScope,
): Promise<Lineage> {
  const registrants = registrantsIn(lineage.edges);
  const computations = lineage.nodes
    .filter(({ type }) => type !== undefined && isComputation(type))
    .map(({ id }) => ({ id, registeredBy: registrants.get(id) }));
  const described = await describeRuns(ports, computations, scope);
  const hasFailed = (id: string) => {
    const facts = described.get(id)?.facts;
    return facts !== undefined && resultOf(facts) === 'failed';
  };
  const nodes = lineage.nodes.map((node) => (hasFailed(node.id) ? { ...node, failed: true as const } : node));
  return { ...lineage, nodes };
}

/** The lineage with the names of its nodes. A file of a folder without a name is called by its path. */
export async function namedLineage(
  names: Pick<NameIndex, 'of'>,
  lineage: Lineage,
  scope: StatementScope,
): Promise<Lineage> {
  const ids = lineage.nodes.map(({ id }) => splitNode(id)[0]);
  const found = await names.of(ids, scope);
  const paths = new Map(lineage.edges.flatMap(({ to, path }) => (path === undefined ? [] : [[to, path]])));
  const nodes = lineage.nodes.map((node) => {
    const name = found.get(splitNode(node.id)[0]) ?? paths.get(node.id);
    return name === undefined ? node : { ...node, name };
  });
  return { ...lineage, nodes };
}
