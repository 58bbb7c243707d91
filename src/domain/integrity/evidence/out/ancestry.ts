import pMap from 'p-map';
import { isObject } from '../../../json/is-object.ts';
import { yieldToEventLoop } from '../../../yield-to-event-loop.ts';
import type { ContentReach } from '../../access/content-reach.ts';
import { learntNames } from '../../access/learnt-names.ts';
import type { SameBytes } from '../../blobs/same-bytes.ts';
import { type Cid, cidIn, codecs, digestHex, parseCid } from '../../identifiers/cid.ts';
import type { Lineage } from '../../lineage/graph.ts';
import { splitNode } from '../../lineage/one-node.ts';
import { documentLimit, parsedDocument } from '../../names/name.ts';
import type { StatementScope } from '../../ports.ts';
import { endOf, type RunFacts } from '../../runs/run-document.ts';
import { type FindRunPorts, findRun, type Run } from '../../runs/runs.ts';
import type { Trust } from '../../signatures/trust.ts';
import { digestsReferredTo, uriOf } from '../things.ts';

/** Something in the ancestry of an artefact. */
export interface Artefact {
  readonly id: string;
  readonly name: string;
  /** Hex by algorithm, as in-toto calls it. A reference has those of what it refers to; a table or a DID has none. */
  readonly digests: Readonly<Record<string, string>>;
  /** Of a thing that is known by its URI only, such as a table. */
  readonly uri?: string;
}

/** A computation in the ancestry of an artefact. */
export interface AncestorRun {
  readonly id: string;
  readonly name: string;
  /** The file of the program; null if only its name is known. */
  readonly program: Artefact | null;
  /** Who ran it: a DID. */
  readonly by: string;
  readonly inputs: readonly Artefact[];
  readonly outputs: readonly Artefact[];
  readonly facts: RunFacts;
  /** When the statement was made, in milliseconds since 1970. */
  readonly time: number | null;
}

/** What an artefact was made from, in the terms that all formats share. */
export interface Ancestry {
  readonly subject: Artefact;
  /** The run that made the subject first, then those before it. */
  readonly runs: readonly AncestorRun[];
}

export interface AncestryPorts extends FindRunPorts {
  readonly sameBytes: SameBytes;
  readonly reach: Pick<ContentReach, 'blobByOtherHash'>;
}

const runsAtOnce = 8;

/**
 * The ancestry that a lineage shows.
 * @param counts whether a statement with this trust, by this registrant, counts. Others are left out: whole runs, or what their
 * documents say.
 */
export async function ancestryOf(
  ports: AncestryPorts,
  lineage: Lineage,
  scope: StatementScope,
  counts: (trust: Trust | undefined) => boolean,
): Promise<Ancestry & { readonly leftOut: readonly string[] }> {
  const ids = new Set(lineage.edges.flatMap(({ role, statement }) => (isFlow(role) ? [statement] : [])));
  const find = async (id: string) => {
    await yieldToEventLoop();
    return await findRun(ports, id, scope);
  };
  const found = await pMap(ids, find, { concurrency: runsAtOnce });
  const runs = found.filter((run) => run !== undefined);
  const used = runs.filter(({ trust }) => counts(trust));
  const leftOut = runs.filter(({ trust }) => !counts(trust)).map(({ id }) => id);
  const [start] = splitNode(lineage.start);
  const artefacts = await artefactsOf(
    { blobs: ports.blobs, sameBytes: learntNames(ports, scope) },
    [start, ...used.flatMap(thingsOf).map(({ id }) => id)],
    namesIn(lineage, used),
  );
  const artefact = (id: string) => artefacts.get(id) ?? { id, name: id, digests: {} };
  return {
    subject: artefact(start),
    leftOut,
    runs: used.map((run) => ({
      id: run.id,
      name: run.name ?? run.id,
      by: run.by[0]?.id ?? '',
      inputs: run.inputs.map(({ id }) => artefact(id)),
      outputs: run.outputs.map(({ id }) => artefact(id)),
      program: run.program && isFile(run.program.id) ? artefact(run.program.id) : null,
      facts: counts(run.description?.trust) ? (run.facts ?? {}) : {},
      time: run.statement.time,
    })),
  };
}

function isFlow(role: string): boolean {
  return role === 'input' || role === 'output';
}

/** A document about a program tells only its name. */
function isFile(id: string): boolean {
  return cidIn(id)?.codec !== codecs.jcs;
}

/** What a run has used and made. */
export function thingsOf<Thing>(run: {
  readonly inputs: readonly Thing[];
  readonly outputs: readonly Thing[];
  readonly program: Thing | null;
}): Thing[] {
  const { inputs, outputs, program } = run;
  return [...inputs, ...outputs, ...(program ? [program] : [])];
}

function namesIn({ nodes }: Lineage, runs: readonly Run[]): ReadonlyMap<string, string> {
  const drawn = nodes.map(({ id, name }) => ({ id: splitNode(id)[0], name }));
  return new Map(
    [...drawn, ...runs.flatMap(thingsOf)].flatMap(({ id, name }) => (name ? [[id, name] as const] : [])),
  );
}

/** By each of their identifiers. */
async function artefactsOf(
  {
    sameBytes,
    blobs,
  }: Pick<AncestryPorts, 'blobs'> & { readonly sameBytes: Pick<SameBytes, 'withReferences'> },
  ids: readonly string[],
  names: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Artefact>> {
  const known = await sameBytes.withReferences([...new Set(ids)]);
  const namesOf = (id: string) => known.get(id)?.names ?? ([id] as const);
  const documents = await documentsAmong(
    blobs,
    ids.map((id) => namesOf(id)[0]),
  );
  return new Map(
    ids.map((id) => {
      const all = namesOf(id);
      const name = [id, ...all].map((one) => names.get(one)).find((one) => one !== undefined);
      const cids = all.flatMap((one) => cidIn(one) ?? []);
      // Documents that refer to bytes have digests of their own.
      const own = cids.filter(({ codec }) => codec === cids[0]?.codec);
      const known = documents.get(all[0]) ?? { digests: Object.fromEntries(own.map(digestOf)) };
      return [id, { id: all[0], name: name ?? id, ...known }];
    }),
  );
}

type Referred = Pick<Artefact, 'digests' | 'uri'>;

/**
 * What documents refer to. A document that is not stored may be a reference, so it has no digests. Other documents are content,
 * and missing here.
 */
async function documentsAmong(
  blobs: AncestryPorts['blobs'],
  ids: readonly string[],
): Promise<ReadonlyMap<string, Referred>> {
  const asked = [...new Set(ids)].filter((id) => !isFile(id)).map((id) => [id, parseCid(id)] as const);
  const found = await blobs.readSmall(
    asked.map(([, cid]) => cid),
    documentLimit,
  );
  return new Map(
    asked.flatMap(([id], at) => {
      const bytes = found[at];
      const document = bytes && parsedDocument(bytes);
      if (document === undefined) return [[id, { digests: {} }] as const];
      const digests = isObject(document) ? digestsReferredTo(document) : undefined;
      if (!isObject(document) || !digests) return [];
      const uri = uriOf(document);
      return [[id, { digests, ...(uri !== undefined && { uri }) }] as const];
    }),
  );
}

/** As in-toto calls the algorithms. */
function digestOf(cid: Cid): [string, string] {
  return [cid.multihash === 'blake3' ? 'blake3' : 'sha256', digestHex(cid)];
}

/** RFC 3339, if the run says when. */
export function timesOf({ facts, time }: AncestorRun): { start?: string; end?: string } {
  const { started } = facts;
  if (started === undefined) return time === null ? {} : { end: new Date(time).toISOString() };
  const end = endOf(facts);
  return { start: started, ...(end !== undefined && { end }) };
}
