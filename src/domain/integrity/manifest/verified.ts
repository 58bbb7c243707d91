import type { ContextRegistry } from '../contexts/contexts.ts';
import type { ContextSet } from '../contexts/world.ts';
import { type RowSpool, rowSpool } from '../exports/row-spool.ts';
import { cidIn, cidOf, codecs } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { IdentifiedRow, StatementRow } from '../ports.ts';
import { carriedAnchors, checkAnchor } from './anchors.ts';
import type { CarriedBlob } from './blobs.ts';
import type { ManifestCarrier } from './carrier.ts';
import { checkBlobs, checkStatements, type StatementChecking } from './check.ts';
import { type ManifestContexts, readContexts } from './contexts.ts';
import type { SpoolStore } from './ports.ts';
import { isProblem, type ManifestProblem, refusalOf } from './problem.ts';

export interface OfflineVerifying extends StatementChecking {
  readonly registry: Pick<ContextRegistry, 'resolve' | 'world'>;
}

export interface ManifestVerifying extends OfflineVerifying {
  readonly spools: SpoolStore;
}

/** The result of the first pass over a manifest. */
export interface VerifiedManifest extends AsyncDisposable {
  readonly contexts: ManifestContexts;
  /** One form for each id, then the further forms, on disk, so that no id is computed twice. */
  readonly rows: RowSpool;
  readonly statements: number;
  readonly contextSets: ReadonlyMap<string, ContextSet>;
  /** Digests of the content that the statements name. */
  readonly named: DigestSet;
  readonly anchors: readonly string[];
  /** URLs of the contexts of statements in anchors. */
  readonly anchoredContexts: ReadonlySet<string>;
}

/**
 * Recomputes every id and every hash of a manifest.
 * @throws ServiceError for the first problem, with its place.
 */
export async function verifyForImport(
  ports: ManifestVerifying,
  carrier: ManifestCarrier,
): Promise<VerifiedManifest> {
  await using opened = new AsyncDisposableStack();
  const contexts = await readContexts(carrier.manifest, ports.registry);
  const rows = rowSpool(opened.use(await ports.spools.open()));
  const contextSets = new Map<string, ContextSet>();
  const trusted = rowTrust(contexts, contextSets);
  const ids = new DigestSet();
  const named = new DigestSet();
  const note = (row: StatementRow) => {
    carrier.note(row);
    for (const digest of namedIn(row)) named.add(digest);
  };
  let statements = 0;
  for await (const { checked } of checkStatements(ports, carrier.manifest, contexts.world, ids)) {
    const good = checked.map((one) => (isProblem(one) ? fail(one) : trusted(one.row)));
    for (const row of good) note(row);
    statements += good.length;
    await rows.write(good);
  }
  for await (const group of otherForms(ports, carrier, contexts, ids)) {
    statements += group.length;
    await rows.write(group.map(trusted));
  }
  for await (const checked of checkBlobs(carrier)) if (isProblem(checked)) fail(checked);
  const anchors: string[] = [];
  const anchoredContexts = new Set<string>();
  for await (const anchor of carriedAnchors(carrier.manifest)) {
    const checked = await checkAnchor(ports, anchor, contexts.world);
    for (const problem of checked.problems) fail(problem);
    for (const url of checked.contexts) anchoredContexts.add(url);
    anchors.push(cidOf(codecs.raw, anchor.bytes).text);
  }
  const stack = opened.move();
  const found = { contexts, rows, statements, contextSets, named, anchors, anchoredContexts };
  return { ...found, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

function* namedIn({ references }: StatementRow): Generator<Uint8Array> {
  for (const { identifier } of references) {
    const cid = cidIn(identifier);
    if (cid) yield cid.digest;
  }
}

const groupBytes = 1 << 20;

/** Further forms of the noted statements, in groups. Each is noted at once, because it may be repeated. */
async function* otherForms(
  ports: ManifestVerifying,
  carrier: ManifestCarrier,
  contexts: ManifestContexts,
  ids: DigestSet,
): AsyncGenerator<IdentifiedRow[]> {
  let group: IdentifiedRow[] = [];
  let bytes = 0;
  for await (const blob of carrier.candidates(ports.maxStatementBytes)) {
    const row = await otherForm(ports, contexts, ids, blob);
    if (!row) continue;
    carrier.note(row);
    group.push(row);
    bytes += row.jcs.length;
    if (bytes < groupBytes) continue;
    yield group;
    group = [];
    bytes = 0;
  }
  if (group.length > 0) yield group;
}

function fail(problem: ManifestProblem): never {
  throw refusalOf(problem);
}

/** Decides whether rows are trusted: all their contexts must be verified. @param sets receives their context sets. */
export function rowTrust({ unverified }: ManifestContexts, sets: Map<string, ContextSet>) {
  const trust = new Map<string, boolean>();
  return ({ contexts, ...row }: IdentifiedRow): StatementRow => {
    const isTrusted = trust.getOrInsertComputed(contexts.cid, () => {
      sets.set(contexts.cid, contexts);
      return !Object.keys(JSON.parse(contexts.text)).some((url) => unverified.has(url));
    });
    return { ...row, isTrusted };
  };
}

/** The statement in a block of a CAR, if it is another form of a statement with one of these ids. */
export async function otherForm(
  { identifier }: Pick<StatementChecking, 'identifier'>,
  { world }: ManifestContexts,
  ids: DigestSet,
  blob: CarriedBlob,
): Promise<IdentifiedRow | undefined> {
  const bytes = Buffer.concat(await Array.fromAsync(blob.bytes()));
  const id = givenId(bytes);
  const cid = id === undefined ? undefined : cidIn(id);
  if (!cid || !ids.has(cid.digest)) return undefined;
  const [result] = await identifier.identifyUnder(bytes, [0, bytes.length], world);
  if (!result || 'error' in result) return undefined;
  return result.row.jcsCid.text === blob.cid().text ? result.row : undefined;
}

function givenId(bytes: Uint8Array): string | undefined {
  try {
    const value = JSON.parse(Buffer.from(bytes).toString()) as { '@id'?: unknown } | null;
    return typeof value?.['@id'] === 'string' ? value['@id'] : undefined;
  } catch {
    return undefined;
  }
}
