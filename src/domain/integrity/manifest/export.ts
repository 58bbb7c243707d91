import type { Visibility } from '../../access/visibility.ts';
import { ServiceError } from '../../errors.ts';
import { logNames } from '../../log/names.ts';
import { reachByCid } from '../access/content-reach.ts';
import { reachedBlob } from '../access/statement-scope.ts';
import { type FoundBlob, missingListed, ReferencedBlobs } from '../blobs/referenced-blobs.ts';
import type { SameBytes } from '../blobs/same-bytes.ts';
import type { ContextKeeper } from '../contexts/contexts.ts';
import { StatementGathering } from '../exports/statement-gathering.ts';
import type { Folders } from '../folders/folders.ts';
import type { BlobStore } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { type AttachedBlobs, blobsAttachedTo } from './attached-blobs.ts';
import type { ManifestForm } from './carrier.ts';
import { CoveredLogs, type LogsForExport } from './covered-logs.ts';
import type { GraphAttachments, GraphContents, SpoolStore } from './ports.ts';
import { type ManifestContent, manifestCar, manifestJson } from './writing.ts';

export interface ManifestExporting {
  readonly blobs: Pick<BlobStore, 'read' | 'size'>;
  readonly sameBytes: SameBytes;
  readonly statementIndex: Pick<StatementIndex, 'references' | 'referringTo'>;
  readonly folders: Pick<Folders, 'foldersOf'>;
  readonly graphContents: GraphContents;
  readonly contexts: Pick<ContextKeeper, 'members' | 'read'>;
  readonly spools: SpoolStore;
  readonly attachedBlobs: Pick<AttachedBlobs, 'page'>;
}

export interface ManifestFilter {
  /** Null means all graphs that the reader may see, and statements in no graph if the reader sees everything. */
  readonly graphIds: readonly string[] | null;
  readonly includeContext: boolean;
  readonly includeBlobs: boolean;
}

/** A manifest that is ready to be written. Disposing removes its temporary files. */
export interface ExportedManifest extends AsyncDisposable {
  readonly statements: number;
  /** Number of referenced blobs that the manifest does not carry, including files of collections. */
  readonly missingBlobs: number;
  readonly missing: readonly string[];
  readonly blobs: number;
  /** Number of statements that were left out, because they use another document for the same context URL. */
  readonly leftOut: number;
  /** Number of forms that were left out, because they came after the heads that the proofs cover. */
  readonly later: number;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface ManifestOptions {
  readonly form: ManifestForm;
  /** Called now and then with the number of statements so far. An error that it throws ends the export. */
  readonly onGathered?: (statements: number) => Promise<void>;
  /** All that the reader may see, which decides what another hash of a blob opens. Default: what is exported. */
  readonly reader?: () => Promise<Visibility>;
  /** If given, the manifest has exactly the statements of one published head of each log, and proves it. */
  readonly logs?: LogsForExport | undefined;
}

/** Larger blobs do not fit into a JSON string that readers can handle. */
const jsonBlobLimit = 256 << 20;

/**
 * Packages the statements of graphs (vocabulary, manifest) with their contexts and blobs. The statements are written to
 * disk first, so the counts stay correct while others store statements.
 */
export async function exportManifest(
  ports: ManifestExporting,
  filter: ManifestFilter,
  visibility: Visibility,
  { form, onGathered = async () => {}, reader = async () => visibility, logs }: ManifestOptions,
): Promise<ExportedManifest> {
  const covered = logs && (await CoveredLogs.open(logs, await logsOf(ports, filter, visibility)));
  const attachments = await ports.graphContents.attachments(filter.graphIds, visibility);
  const attached = attachments.contexts;
  const gathered = await gather(ports, filter, visibility, { form, onGathered, reader, attached, covered });
  const { gathering, documents } = gathered;
  const { found, missing } = gathered.blobs;
  const isCarried = ({ size }: FoundBlob) => form === 'car' || size <= jsonBlobLimit;
  const blobs = found.filter(isCarried);
  const tooLarge = found.filter((blob) => !isCarried(blob));
  const anchors = [...new Set(attachments.anchors)];
  const logAnchors = covered && !covered.isEmpty ? () => covered.anchors() : undefined;
  const content: ManifestContent = {
    ...{ ports, documents, statements: gathering.members, blobs },
    ...{ anchors, logAnchors },
  };
  return {
    statements: gathering.count,
    missingBlobs: missing.count + tooLarge.length,
    missing: [...missing.cids, ...tooLarge.map(({ cid }) => cid)].slice(0, missingListed),
    blobs: blobs.length,
    leftOut: gathering.leftOut,
    later: gathering.later,
    bytes: form === 'car' ? manifestCar(content, gathering.sections) : manifestJson(content),
    [Symbol.asyncDispose]: () => gathering[Symbol.asyncDispose](),
  };
}

type Attached = GraphAttachments['contexts'];

interface GatheringRequest extends Required<Pick<ManifestOptions, 'form' | 'onGathered' | 'reader'>> {
  readonly attached: Attached;
  readonly covered: CoveredLogs | undefined;
}

/** The logs whose statements an export has. */
async function logsOf(
  { graphContents }: Pick<ManifestExporting, 'graphContents'>,
  { graphIds }: Pick<ManifestFilter, 'graphIds'>,
  visibility: Visibility,
): Promise<string[]> {
  const graphs = await graphContents.visible(graphIds, visibility);
  const hasOthers = graphIds === null && visibility.projects === 'all';
  return [...graphs.map(logNames.graph), ...(hasOthers ? [logNames.statements] : [])];
}

/** Gathers statements. Repeats without the statements whose contexts contradict the chosen documents. */
async function gather(
  ports: ManifestExporting,
  { graphIds, includeContext, includeBlobs }: ManifestFilter,
  visibility: Visibility,
  { form, onGathered, reader, attached, covered }: GatheringRequest,
) {
  const without = new Set<string>();
  // A statement names a blob, so its CID opens it. Another hash opens nothing.
  const reached = { ...ports, reach: reachByCid(ports.statementIndex, ports.folders) };
  for (;;) {
    await using opened = new AsyncDisposableStack();
    const blobs = new ReferencedBlobs(ports.blobs, (cid) =>
      reachedBlob(reached, cid, { ...visibility, listed: reader }),
    );
    const options = {
      withSections: form === 'car',
      blobs: includeBlobs ? blobs : undefined,
      without,
      covered,
    };
    const gathering = opened.use(await StatementGathering.open(ports.spools, options));
    for await (const rows of ports.graphContents.statements(graphIds, visibility)) {
      await gathering.add(rows);
      await onGathered(gathering.count);
    }
    if (includeBlobs) {
      const visible = await ports.graphContents.visible(graphIds, visibility);
      await blobs.attach(blobsAttachedTo(ports.attachedBlobs, visible));
    }
    await blobs.settle();
    const { documents, losing } = includeContext
      ? await chooseDocuments(ports, gathering.contextSets, attached)
      : { documents: new Map<string, string>(), losing: [] };
    if (covered && losing.length > 0) throwContradicting();
    for (const set of losing) without.add(set);
    if (losing.length > 0) continue;
    if (covered?.isEmpty && gathering.later > 0) throwUnlogged();
    await covered?.complete();
    await gathering.flush();
    opened.move();
    return { gathering, blobs, documents };
  }
}

function throwUnlogged(): never {
  const message =
    'These statements are not yet in a published checkpoint of the log. Try again after a second.';
  throw new ServiceError('not_logged', message, { retryAfter: 1 });
}

function throwContradicting(): never {
  const message =
    'Some statements use another document for the same context URL, so one manifest cannot have all of them. Export without proofs, or each graph separately.';
  throw new ServiceError('conflict', message);
}

/**
 * Chooses one document per URL. Documents of trusted statements win, then the order of the CIDs of the sets, so that
 * the choice is always the same.
 */
async function chooseDocuments(
  { contexts }: Pick<ManifestExporting, 'contexts'>,
  sets: ReadonlyMap<string, boolean>,
  attached: Attached,
) {
  const documents = new Map<string, string>();
  const losing: string[] = [];
  const names = [...sets.keys()].sort();
  for (const set of [...names.filter((name) => sets.get(name)), ...names.filter((name) => !sets.get(name))]) {
    const members = Object.entries(await contexts.members(set));
    if (members.some(([url, cid]) => (documents.get(url) ?? cid) !== cid)) losing.push(set);
    else for (const [url, cid] of members) documents.set(url, cid);
  }
  for (const { url, cid } of attached) if (!documents.has(url)) documents.set(url, cid);
  return { documents, losing };
}
