import { ServiceError } from '../../errors.ts';
import type { LogStanding } from '../../log/standing.ts';
import { Verifier, type VerifierPorts } from '../../maintenance/verifier.ts';
import { reachedBlob } from '../access/statement-scope.ts';
import { comparedBytes } from '../blobs/blob-store.ts';
import { type Cid, cidIn, cidUrn, codecs } from '../identifiers/cid.ts';
import { noCredentials } from '../manifest/credential-standings.ts';
import { SummaryCounts } from '../manifest/summary.ts';
import { documentLimit } from '../names/name.ts';
import type { NameIndex } from '../names/name-index.ts';
import { judge } from '../policies/verification.ts';
import type { BlobStore, StatementScope, StoredStatement } from '../ports.ts';
import { type RoomForRuns, readDocument, roomForRuns } from './documents.ts';
import { type GatheringPorts, gather } from './gather.ts';
import type { Checks, Content, Fault, Report, ReportedStatement, Trusted } from './report.ts';

export interface StoredReporting
  extends Omit<GatheringPorts, 'contents' | 'names' | 'disputed'>,
    VerifierPorts {
  readonly names: Pick<NameIndex, 'of'>;
  readonly blobs: Pick<BlobStore, 'size' | 'read' | 'readSmall'>;
  readonly now: () => Date;
  /** What the log has of these forms of statements, in their order. */
  readonly standings: (forms: readonly Cid[]) => Promise<readonly LogStanding[]>;
}

/** Bytes that one report hashes. Further blobs are only looked up. */
const hashedBytes = 64 << 20;
const listed = 100;

/**
 * Reports on something that a service stores. Ids and hashes are computed again, within limits.
 * @throws ServiceError `not_found` if nothing visible mentions it.
 */
export async function reportOnStored(
  ports: StoredReporting,
  id: string,
  scope: StatementScope,
  url: string,
): Promise<Report> {
  const faults: Fault[] = [];
  const gathered = await gather(
    {
      ...ports,
      names: (ids) => ports.names.of(ids, scope),
      disputed: new Set(),
      contents: (ids) => storedContents(ports, ids, scope, faults),
    },
    [id],
    scope,
  );
  const statements = await recheck(ports, gathered.rows, faults);
  const hashed = [...gathered.contents.values()].filter(({ isHashed }) => isHashed);
  const checks: Checks = {
    ...statements,
    unchecked: gathered.unreadStatements,
    blobs: hashed.length,
    contexts: undefined,
    unverifiedContexts: [],
    faults: { count: faults.length, first: faults.slice(0, listed) },
    missing: undefined,
  };
  const source = { kind: 'service', url } as const;
  const trusted = trustedIn(gathered.statements);
  const standings = await ports.standings(gathered.rows.map(({ jcsCid }) => jcsCid));
  const logged = new Map(
    gathered.statements.flatMap(({ id }, at) => {
      const standing = standings[at];
      return standing ? [[id, standing] as const] : [];
    }),
  );
  const judgement = await judge({ ...trusted, faults: faults.length });
  return { ...gathered, madeAt: ports.now(), source, otherSubjects: 0, checks, trusted, judgement, logged };
}

/** A service does not know whom its reader trusts. */
function trustedIn(statements: readonly ReportedStatement[]): Trusted {
  const knownDids = new Set<string>();
  const summary = new SummaryCounts(knownDids);
  for (const { id: statement, trust } of statements)
    summary.add({ kind: 'trust', statement, trust, isKnown: false });
  const { signers } = summary;
  const nothing = { known: 0, isAsked: false, credentials: noCredentials, logs: [], unlogged: 0 };
  return { ...nothing, ids: statements.length, signers, knownDids };
}

async function storedContents(
  ports: StoredReporting,
  ids: readonly string[],
  scope: StatementScope,
  faults: Fault[],
): Promise<Map<string, Content>> {
  const found = new Map<string, Content>();
  const room = roomForRuns();
  let left = hashedBytes;
  for (const id of ids) {
    const cid = cidIn(id);
    if (!cid || cid.codec === codecs.rdfc) continue;
    const reached = await reachedBlob(ports, cid, scope.visibility);
    if (!reached) continue;
    const { size } = reached;
    if (size > left) {
      found.set(id, { size, isHashed: false });
      continue;
    }
    left -= size;
    const content = await hashedContent(ports, reached.cid, size, room);
    if (content) found.set(id, content);
    else faults.push({ code: 'cid_mismatch', place: id, reason: 'The stored bytes do not have this CID.' });
  }
  return found;
}

/** Undefined if the bytes have another CID. */
async function hashedContent({ blobs }: StoredReporting, cid: Cid, size: number, room: RoomForRuns) {
  const isDocument = size <= documentLimit;
  const kept: Uint8Array[] = [];
  try {
    await using content = await blobs.read(cid);
    if (!content) return { size, isHashed: false };
    for await (const chunk of comparedBytes(cid, content.bytes)) if (isDocument) kept.push(chunk);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'damaged') return undefined;
    throw error;
  }
  return { size, isHashed: true, ...readDocument(Buffer.concat(kept), room) };
}

/** Computes the ids of stored statements again. */
async function recheck(ports: VerifierPorts, rows: readonly StoredStatement[], faults: Fault[]) {
  const entries = rows.map((row) => ({
    ...row,
    registrar: null,
    position: 0,
    holds: ({ rdfcCid }: Pick<StoredStatement, 'rdfcCid'>) => rdfcCid.text === row.rdfcCid.text,
  }));
  let uncovered = 0;
  const mismatch = (cid: Cid | string, reason: string) =>
    faults.push({ code: 'id_mismatch', place: cidUrn(cid), reason });
  const verifier = new Verifier(ports);
  for await (const results of verifier.verify(pageOf(entries))) {
    for (const result of results) {
      if ('problem' in result) mismatch(result.id, `${result.problem}.`);
      else if (!result.entry.holds(result.row)) mismatch(result.row.jcsCid, 'The statement has another id.');
      else if (!result.isCovered) uncovered += 1;
    }
  }
  return { statements: rows.length, uncovered };
}

async function* pageOf<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  yield items;
}
