import pMap from 'p-map';
import type { SameBytes } from '../../blobs/same-bytes.ts';
import { type Cid, cidIn, codecs, digestHex } from '../../identifiers/cid.ts';
import type { Lineage } from '../../lineage/graph.ts';
import { splitNode } from '../../lineage/one-node.ts';
import type { StatementScope } from '../../ports.ts';
import type { RunFacts } from '../../runs/run-document.ts';
import { type FindRunPorts, findRun, type Run } from '../../runs/runs.ts';
import type { Trust } from '../../signatures/trust.ts';

/** Something in the ancestry of an artefact. */
export interface Artefact {
  readonly id: string;
  readonly name: string;
  /** Hex by algorithm: `sha256` if it is known, and `blake3`. A document or a DID has none. */
  readonly digests: Readonly<Record<string, string>>;
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
  const found = await pMap(ids, (id) => findRun(ports, id, scope), { concurrency: runsAtOnce });
  const runs = found.filter((run) => run !== undefined);
  const used = runs.filter(({ trust }) => counts(trust));
  const leftOut = runs.filter(({ trust }) => !counts(trust)).map(({ id }) => id);
  const [start] = splitNode(lineage.start);
  const artefacts = await artefactsOf(
    ports,
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
  { sameBytes }: Pick<AncestryPorts, 'sameBytes'>,
  ids: readonly string[],
  names: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, Artefact>> {
  const known = await sameBytes.withReferences([...new Set(ids)]);
  return new Map(
    ids.map((id) => {
      const all = known.get(id)?.names ?? [id];
      const name = [id, ...all].map((one) => names.get(one)).find((one) => one !== undefined);
      // Documents that refer to bytes follow the names of the bytes.
      const cids = all.slice(0, 2).flatMap((one) => cidIn(one) ?? []);
      return [id, { id: all[0], name: name ?? id, digests: Object.fromEntries(cids.map(digestOf)) }];
    }),
  );
}

/** As in-toto calls the algorithms. */
function digestOf(cid: Cid): [string, string] {
  return [cid.multihash === 'blake3' ? 'blake3' : 'sha256', digestHex(cid)];
}

/** RFC 3339, if the run says when. */
export function timesOf({ facts: { started, duration }, time }: AncestorRun): {
  start?: string;
  end?: string;
} {
  if (started === undefined) return time === null ? {} : { end: new Date(time).toISOString() };
  const end =
    duration === undefined ? undefined : new Date(Date.parse(started) + duration * 1_000).toISOString();
  return { start: started, ...(end !== undefined && { end }) };
}
