import pMap from 'p-map';
import { mapConcurrent } from '../../map-concurrent.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { lostSupport, type SupportPorts, unknownSupport } from '../governance/support.ts';
import { type Cid, cidIn, cidUrn, codecs } from '../identifiers/cid.ts';
import type { Lineage } from '../lineage/graph.ts';
import { type LineagePorts, traceLineage } from '../lineage/lineage.ts';
import { splitNode } from '../lineage/one-node.ts';
import type { BlobStore, StatementScope, StoredStatement } from '../ports.ts';
import { claimOf, signaturesAbout } from '../signatures/proven.ts';
import { checkOf, type Signature } from '../signatures/signatures.ts';
import { claimed, type TrustPorts, trustIn } from '../signatures/trust.ts';
import { governanceIn } from './documents.ts';
import type { Content, Governance, Report, ReportedSignature, Subject } from './report.ts';
import { runsIn } from './runs.ts';

/** The lineage of one subject. Facts take at most half of the nodes. */
const mostNodes = 1_000;
const usesLooked = 60;
const mostStatements = 1_000;
const mostStatementBytes = 32 << 20;
/** Things that the statements mention and that are looked up. */
const mostMentioned = 2_000;
const signaturesLooked = 20;
const statementsAtOnce = 8;

export interface GatheringPorts extends LineagePorts, Pick<SupportPorts, 'disputed'> {
  readonly trusting: TrustPorts;
  readonly blobs: LineagePorts['blobs'] & Pick<BlobStore, 'readSmall'>;
  /** Names by identifier. */
  readonly names: (ids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** What is there for these identifiers. */
  readonly contents: (ids: readonly string[]) => Promise<ReadonlyMap<string, Content>>;
}

type Index = GatheringPorts['statementIndex'];

export interface Gathered
  extends Omit<
    Report,
    'madeAt' | 'source' | 'otherSubjects' | 'checks' | 'trusted' | 'judgement' | 'logged'
  > {
  /** The statements as they are stored. */
  readonly rows: readonly StoredStatement[];
}

/**
 * What is known about the origins of some things.
 * @throws ServiceError `not_found` if nothing visible mentions one of them.
 */
export async function gather(
  ports: GatheringPorts,
  ids: readonly string[],
  scope: StatementScope,
): Promise<Gathered> {
  const subjects: Subject[] = [];
  for (const id of ids) {
    const query = { start: id, flows: ['upstream'] as const, limit: mostNodes, kinds: null };
    const lineage = await traceLineage(ports, query, scope);
    subjects.push({ id: lineage.start, lineage, ...(await usesOf(ports, lineage.start, scope)) });
  }
  const named = new Set(
    subjects.flatMap(({ lineage, uses }) => [...statementsIn(lineage), ...uses.map(({ step }) => step)]),
  );
  const { rows, unread } = await readRows(ports, [...named], scope);
  const nodes = subjects.flatMap(({ lineage, uses }) => [
    ...lineage.nodes.map(({ id }) => id),
    ...uses.flatMap(({ outputs }) => outputs),
  ]);
  const statements = await withTrust(ports, rows, scope);
  const references = rows.flatMap((row) => row.references);
  // Programs come first, because a report names computations after them.
  const programs = references.filter(({ role }) => role === 'computation');
  const all = new Set([...programs, ...references].map(({ identifier }) => identifier));
  const mentioned = [...all].slice(0, mostMentioned);
  const asked = [...new Set([...nodes.map(artefactOf), ...mentioned])];
  const contents = forNodes(nodes, await ports.contents(asked.filter((id) => id.startsWith('urn:cid:'))));
  const registered = governanceIn(statements, contents, ports.trusting.ownDids);
  const governance = await pMap(registered, (one) => withSupport(ports, one, scope), {
    concurrency: statementsAtOnce,
  });
  const people = [
    ...governance.map(({ by }) => by),
    ...statements.flatMap(({ trust, signatures }) => [trust.by, ...signatures.map(({ signer }) => signer)]),
  ].filter((one) => one?.startsWith('did:'));
  const names = forNodes(nodes, await ports.names([...new Set([...asked, ...named, ...people.map(String)])]));
  return {
    subjects,
    statements,
    unreadStatements: unread,
    governance,
    runs: runsIn(statements, contents),
    names: new Map([...namesInside(rows, contents), ...names]),
    contents,
    missing: await missingIn(ports, mentioned, rows, contents, scope),
    notLookedUp: all.size - mentioned.length,
    rows,
  };
}

/** A certificate that rests on a check, with what was withdrawn since. */
async function withSupport(
  ports: GatheringPorts,
  one: Governance,
  scope: StatementScope,
): Promise<Governance> {
  const reading = { ...ports, documents: ports.blobs.readSmall.bind(ports.blobs) };
  const found: Governance['lost'][] = [];
  for (const outcome of one.outcomes ?? []) found.push(await lostSupport(reading, outcome, scope));
  const lost = found.find((why) => why && why !== unknownSupport) ?? found.find(Boolean);
  return lost === undefined ? one : { ...one, lost };
}

const artefactOf = (node: string) => splitNode(node)[0];

/** The same, and for nodes that are drawn once in each graph what their artefact has. */
function forNodes<Value>(nodes: readonly string[], found: ReadonlyMap<string, Value>): Map<string, Value> {
  const all = new Map(found);
  for (const node of nodes) {
    const value = found.get(artefactOf(node));
    if (value !== undefined) all.set(node, value);
  }
  return all;
}

/** The names that JSON documents give themselves. Metadata has the name of what it describes. */
function namesInside(rows: readonly StoredStatement[], contents: ReadonlyMap<string, Content>) {
  const references = rows.flatMap((row) => row.references).filter(({ role }) => role === 'metadata');
  const metadata = new Set(references.map(({ identifier }) => identifier));
  return [...contents].flatMap(([id, { name }]) => {
    const isOwn = !metadata.has(id) && cidIn(id)?.codec === codecs.jcs;
    return name === undefined || !isOwn ? [] : [[id, name] as [string, string]];
  });
}

/** The computations that used something, one step away. */
async function usesOf(ports: LineagePorts, start: string, scope: StatementScope) {
  const kinds = ['ComputationRegistration'] as const;
  const query = { start, flows: ['downstream'] as const, depth: 1, limit: usesLooked, kinds };
  const { edges, nodes } = await traceLineage(ports, query, scope);
  const steps = edges.filter(({ from, role }) => from === start && role === 'input').map(({ to }) => to);
  const outputsOf = (step: string) =>
    edges.filter(({ from, role }) => from === step && role === 'output').map(({ to }) => to);
  return {
    uses: steps.map((step) => ({ step, outputs: outputsOf(step) })),
    hasMoreUses: (nodes[0]?.cut ?? 0) > 0,
  };
}

/** The CIDs in statements that name neither content nor a statement that is there. */
async function missingIn(
  { statementIndex }: Pick<GatheringPorts, 'statementIndex'>,
  mentioned: readonly string[],
  rows: readonly StoredStatement[],
  contents: ReadonlyMap<string, Content>,
  scope: StatementScope,
): Promise<string[]> {
  const known = new Set(rows.flatMap(({ rdfcCid, jcsCid }) => [cidUrn(rdfcCid), cidUrn(jcsCid)]));
  const missing: string[] = [];
  for (const id of mentioned) {
    const cid = known.has(id) || contents.has(id) ? undefined : cidIn(id);
    if (cid && !(await isStatement(statementIndex, cid, scope))) missing.push(id);
    await yieldToEventLoop();
  }
  return missing;
}

async function isStatement(index: Index, cid: Cid, scope: StatementScope): Promise<boolean> {
  if (cid.codec === codecs.jcs) return (await index.form(cid, scope)) !== undefined;
  if (cid.codec !== codecs.rdfc) return false;
  return (await index.forms(cid, { after: null, limit: 1 }, scope)).statements.length > 0;
}

function statementsIn({ nodes, edges }: Lineage): string[] {
  const made = nodes.filter(({ kind }) => kind === 'statement').map(({ id }) => id);
  return [...made, ...edges.map(({ statement }) => statement)];
}

/** The first form of each statement, ordered by time, and how many were not read because there are too many. */
async function readRows(
  { statementIndex }: Pick<GatheringPorts, 'statementIndex'>,
  ids: readonly string[],
  scope: StatementScope,
): Promise<{ rows: StoredStatement[]; unread: number }> {
  const rows: StoredStatement[] = [];
  let [read, bytes] = [0, 0];
  for (const id of ids.slice(0, mostStatements)) {
    if (bytes >= mostStatementBytes) break;
    const cid = cidIn(id);
    const page = cid && (await statementIndex.forms(cid, { after: null, limit: 1 }, scope));
    for (const row of page?.statements ?? []) {
      rows.push(row);
      bytes += row.jcs.length;
    }
    read += 1;
    await yieldToEventLoop();
  }
  rows.sort((one, other) => (one.time ?? 0) - (other.time ?? 0));
  return { rows, unread: ids.length - read };
}

async function withTrust(ports: GatheringPorts, rows: readonly StoredStatement[], scope: StatementScope) {
  const claims = rows.map(claimOf);
  const trusts = await trustIn(ports.trusting, claims);
  const found = await signaturesAbout(ports.trusting, claims, signaturesLooked);
  const known = await ports.trusting.standings(found.flat());
  const reported = async (signature: Signature): Promise<ReportedSignature> => {
    const { kind, signer, credentialCid } = signature;
    const standing = credentialCid === null ? undefined : known.get(credentialCid);
    const isUnknown =
      standing?.unknown !== undefined ||
      (!standing && credentialCid !== null && (await hasStatus(ports, signature, scope)));
    return { kind, signer, check: checkOf(signature), standing: isUnknown ? 'unknown' : standing };
  };
  const withSignatures = async ([at, row]: readonly [number, StoredStatement]) => {
    const { kind, references, time, isTrusted, graphIds } = row;
    const id = claims[at]?.id ?? '';
    const own: ReportedSignature[] = [];
    for (const signature of found[at] ?? []) own.push(await reported(signature));
    const trust = trusts.get(id) ?? claimed;
    return { id, kind, references, time, isTrusted, graphIds, trust, signatures: own };
  };
  return await Array.fromAsync(mapConcurrent(rows.entries(), statementsAtOnce, withSignatures));
}

/** Whether the credential of a signature has a status that somebody else keeps. */
async function hasStatus(
  { statementIndex }: Pick<GatheringPorts, 'statementIndex'>,
  { carrier }: Signature,
  scope: StatementScope,
): Promise<boolean> {
  const cid = cidIn(carrier);
  const form = cid && (await statementIndex.form(cid, scope));
  if (!form) return false;
  return JSON.parse(Buffer.from(form.jcs).toString()).credential?.credentialStatus !== undefined;
}
