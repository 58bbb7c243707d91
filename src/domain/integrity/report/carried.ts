import { ServiceError } from '../../errors.ts';
import { cidIn, cidUrn, codecs } from '../identifiers/cid.ts';
import { parseIdentifier } from '../identifiers/identifiers.ts';
import type { IndexedManifest } from '../manifest/indexed/indexed-manifest.ts';
import { documentLimit, foldedName, nameFor } from '../names/name.ts';
import { type Naming, namingOf } from '../names/name-records.ts';
import { provenAmong } from '../names/naming.ts';
import type { BlobContent, StatementRow } from '../ports.ts';
import { type RoomForRuns, readDocument, roomForRuns } from './documents.ts';
import type { Content } from './report.ts';

const descriptionsLooked = 10;
const namesakes = 5;

type Manifest = Pick<IndexedManifest, 'carrier' | 'statementIndex' | 'scope' | 'signatures' | 'blobs'>;

/** What a manifest carries of these identifiers. */
export async function carriedContents(
  { blobs }: Pick<Manifest, 'blobs'>,
  ids: readonly string[],
): Promise<Map<string, Content>> {
  const found = new Map<string, Content>();
  const room = roomForRuns();
  for (const id of ids) {
    const cid = cidIn(id);
    const content = cid && cid.codec !== codecs.rdfc ? await blobs.read(cid) : undefined;
    if (content) found.set(id, { size: content.size, isHashed: true, ...(await documentIn(content, room)) });
  }
  return found;
}

/** The names in the metadata of these identifiers. The latest metadata wins. */
export async function carriedNames(manifest: Manifest, ids: readonly string[]): Promise<Map<string, string>> {
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

/** The identifiers that a text names: itself, or the things whose metadata has that name, in capitals or not. */
export async function subjectsNamed(manifest: Manifest, text: string): Promise<string[]> {
  const id = identifierIn(text);
  if (id !== undefined) return [id];
  const wanted = foldedName(text);
  const found = new Set<string>();
  for await (const { cid, content } of intactBlobs(manifest)) {
    if (found.size >= namesakes) break;
    const { naming } = await documentIn(content, { bytes: 0 });
    const document = cidUrn(cid);
    const name = nameFor(document, naming);
    if (name === undefined || foldedName(name) !== wanted) continue;
    const page = { after: null, limit: namesakes };
    const { references } = await manifest.statementIndex.references([document], page, manifest.scope);
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
async function descriptionsOf(manifest: Manifest, subject: string): Promise<string[]> {
  const { statementIndex, scope } = manifest;
  const filter = { kind: 'MetadataRegistration', subject, registeredBy: null, from: null, until: null };
  const { statements } = await statementIndex.search(
    filter,
    { after: null, limit: descriptionsLooked },
    scope,
  );
  const latest = statements.toSorted((one, other) => (other.time ?? 0) - (one.time ?? 0));
  return (await namingsIn(manifest, latest)).map(({ document }) => document);
}

async function namingsIn({ signatures }: Manifest, rows: readonly StatementRow[]): Promise<Naming[]> {
  const given = rows.flatMap((row) => namingOf(row) ?? []).map((naming) => ({ naming }));
  return (await provenAmong(signatures.trusting.signatures, given)).map(({ naming }) => naming);
}

async function* intactBlobs({ carrier, blobs }: Pick<Manifest, 'carrier' | 'blobs'>) {
  try {
    for await (const { cid, size } of carrier?.allBlobs() ?? []) {
      const content = size > documentLimit ? undefined : await blobs.read(cid());
      if (content) yield { cid: cid(), content };
    }
  } catch (error) {
    // The manifest ends here. Its verification has said why.
    if (!(error instanceof ServiceError)) throw error;
  }
}

async function documentIn(
  { size, bytes }: BlobContent,
  room: RoomForRuns,
): Promise<ReturnType<typeof readDocument>> {
  return size > documentLimit ? {} : readDocument(Buffer.concat(await Array.fromAsync(bytes)), room);
}
