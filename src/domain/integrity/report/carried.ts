import { ServiceError } from '../../errors.ts';
import { cidIn, cidUrn, digestHex } from '../identifiers/cid.ts';
import { parseIdentifier } from '../identifiers/identifiers.ts';
import type { CarriedBlob } from '../manifest/blobs.ts';
import type { ManifestCarrier } from '../manifest/carrier.ts';
import { documentLimit, nameFor } from '../names/name.ts';
import { type Naming, namingOf } from '../names/name-records.ts';
import { type NamingPorts, provenAmong } from '../names/naming.ts';
import type { StatementRow, StatementScope } from '../ports.ts';
import type { StatementIndex } from '../statements/questions.ts';
import { type RoomForRuns, readDocument, roomForRuns } from './documents.ts';
import type { Content } from './report.ts';

const descriptionsLooked = 10;
const namesakes = 5;

/** A manifest whose statements are in an index, and whose blobs are verified. */
export interface IndexedManifest {
  readonly carrier: ManifestCarrier;
  readonly index: Pick<StatementIndex, 'search' | 'references'>;
  readonly scope: StatementScope;
  readonly signatures: NamingPorts['signatures'];
  /** The places of blobs that are not what they should be. They are treated as missing. */
  readonly damaged: ReadonlySet<string>;
}

/** What a manifest carries of these identifiers. */
export async function carriedContents(
  manifest: IndexedManifest,
  ids: readonly string[],
): Promise<Map<string, Content>> {
  const byDigest = Map.groupBy(ids, (id) => digestIn(id) ?? '');
  const found = new Map<string, Content>();
  const room = roomForRuns();
  for await (const { digest, blob } of intactBlobs(manifest)) {
    const names = byDigest.get(digest);
    if (!names) continue;
    const content = { size: blob.size, isHashed: true, ...(await documentIn(blob, room)) };
    for (const name of names) found.set(name, content);
  }
  return found;
}

/** The names in the metadata of these identifiers. The latest metadata wins. */
export async function carriedNames(
  manifest: IndexedManifest,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const documents = new Map<string, string[]>();
  for (const id of ids) documents.set(id, await descriptionsOf(manifest, id));
  const contents = await carriedContents(manifest, [...new Set([...documents.values()].flat())]);
  const names = new Map<string, string>();
  for (const [id, candidates] of documents) {
    const name = candidates.map((one) => nameFor(one, contents.get(one)?.naming)).find(Boolean);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

/** The identifiers that a text names: itself, or the things whose metadata has that name. */
export async function subjectsNamed(manifest: IndexedManifest, text: string): Promise<string[]> {
  const id = identifierIn(text);
  if (id !== undefined) return [id];
  const found = new Set<string>();
  for await (const { blob } of intactBlobs(manifest)) {
    if (found.size >= namesakes) break;
    const { naming } = await documentIn(blob, { bytes: 0 });
    const document = cidUrn(blob.cid());
    if (nameFor(document, naming) !== text) continue;
    const page = { after: null, limit: namesakes };
    const { references } = await manifest.index.references([document], page, manifest.scope);
    const rows = references.filter(({ role }) => role === 'metadata').map(({ statement }) => statement);
    for (const { subject } of await namingsIn(manifest, rows)) found.add(subject);
  }
  return [...found];
}

function identifierIn(text: string): string | undefined {
  try {
    return parseIdentifier(text);
  } catch {
    return undefined;
  }
}

/** The documents about an identifier, the latest first. */
async function descriptionsOf(manifest: IndexedManifest, subject: string): Promise<string[]> {
  const { index, scope } = manifest;
  const filter = { kind: 'MetadataRegistration', subject, registeredBy: null, from: null, until: null };
  const { statements } = await index.search(filter, { after: null, limit: descriptionsLooked }, scope);
  const latest = statements.toSorted((one, other) => (other.time ?? 0) - (one.time ?? 0));
  return (await namingsIn(manifest, latest)).map(({ document }) => document);
}

async function namingsIn({ signatures }: IndexedManifest, rows: readonly StatementRow[]): Promise<Naming[]> {
  const given = rows.flatMap((row) => namingOf(row) ?? []).map((naming) => ({ naming }));
  return (await provenAmong(signatures, given)).map(({ naming }) => naming);
}

async function* intactBlobs({ carrier, damaged }: IndexedManifest) {
  try {
    for await (const blob of carrier.allBlobs()) {
      if (damaged.has(blob.place)) continue;
      const cid = blob.cid();
      yield { digest: digestHex(cid), blob };
    }
  } catch (error) {
    // The manifest ends here. Its verification has said why.
    if (!(error instanceof ServiceError)) throw error;
  }
}

async function documentIn(
  { size, bytes }: CarriedBlob,
  room: RoomForRuns,
): Promise<ReturnType<typeof readDocument>> {
  return size > documentLimit ? {} : readDocument(Buffer.concat(await Array.fromAsync(bytes())), room);
}

function digestIn(id: string): string | undefined {
  const cid = cidIn(id);
  return cid && digestHex(cid);
}
