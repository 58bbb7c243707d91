import type { ContextRegistry } from '../contexts/contexts.ts';
import type { ContextSet } from '../contexts/world.ts';
import { RowSpool } from '../exports/row-spool.ts';
import { cidIn, cidOf, codecs } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import type { IdentifiedRow, StatementRow } from '../ports.ts';
import { carriedAnchors, checkAnchor } from './anchors.ts';
import type { CarriedBlob } from './blobs.ts';
import type { ManifestCarrier } from './carrier.ts';
import { checkStatements, type StatementChecking } from './check.ts';
import { type ManifestContexts, readContexts } from './contexts.ts';
import type { SpoolStore } from './ports.ts';
import { isProblem, type ManifestProblem, refusalOf } from './problem.ts';

export interface ManifestVerifying extends StatementChecking {
  readonly spools: SpoolStore;
  readonly registry: Pick<ContextRegistry, 'resolve' | 'world'>;
}

/** The result of the first pass over a manifest. */
export interface VerifiedManifest extends AsyncDisposable {
  readonly contexts: ManifestContexts;
  /** One form for each id, on disk, so that no id is computed twice. */
  readonly rows: RowSpool;
  /** Further forms in the order of the manifest. They are stored after the first forms. */
  readonly forms: RowSpool;
  readonly statements: number;
  readonly contextSets: ReadonlyMap<string, ContextSet>;
  /** CIDs of the anchor records. */
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
  const rows = opened.use(new RowSpool(await ports.spools.open()));
  const forms = opened.use(new RowSpool(await ports.spools.open()));
  const trust = new RowTrust(contexts);
  const ids = new DigestSet();
  let statements = 0;
  for await (const checked of checkStatements(ports, carrier.manifest, contexts.world, ids)) {
    const good = checked.map((one) => (isProblem(one) ? refuse(one) : trust.apply(one.row)));
    for (const row of good) carrier.note(row);
    statements += good.length;
    await rows.write(good);
  }
  for await (const group of otherForms(ports, carrier, contexts, ids)) {
    statements += group.length;
    await forms.write(group.map((row) => trust.apply(row)));
  }
  for await (const checked of carrier.checks()) if (isProblem(checked)) refuse(checked);
  const anchors: string[] = [];
  const anchoredContexts = new Set<string>();
  for await (const anchor of carriedAnchors(carrier.manifest)) {
    const checked = await checkAnchor(ports, anchor, contexts.world);
    for (const problem of checked.problems) refuse(problem);
    for (const url of checked.contexts) anchoredContexts.add(url);
    anchors.push(cidOf(codecs.raw, anchor.bytes).text);
  }
  const stack = opened.move();
  return {
    contexts,
    rows,
    forms,
    statements,
    contextSets: trust.sets,
    anchors,
    anchoredContexts,
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  };
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

function refuse(problem: ManifestProblem): never {
  throw refusalOf(problem);
}

/** Decides whether rows are trusted: all their contexts must be verified. */
class RowTrust {
  readonly #unverified: ReadonlySet<string>;
  readonly #trust = new Map<string, boolean>();
  readonly sets = new Map<string, ContextSet>();

  constructor({ unverified }: ManifestContexts) {
    this.#unverified = unverified;
  }

  apply({ contexts, ...row }: IdentifiedRow): StatementRow {
    let isTrusted = this.#trust.get(contexts.cid);
    if (isTrusted === undefined) {
      isTrusted = !Object.keys(JSON.parse(contexts.text)).some((url) => this.#unverified.has(url));
      this.#trust.set(contexts.cid, isTrusted);
      this.sets.set(contexts.cid, contexts);
    }
    return { ...row, isTrusted };
  }
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
