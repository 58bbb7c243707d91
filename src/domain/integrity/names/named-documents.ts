import { Gathering } from '../../gathering.ts';
import { type Cid, cidUrn, codecs, makeCid } from '../identifiers/cid.ts';
import type { BlobStore, StagedBlob } from '../ports.ts';
import { placeNumber } from '../statements/places.ts';
import type { StatementList, StatementRows } from '../statements/rows.ts';
import { documentLimit, mayBeObject, nameFor, type SubjectName, subjectNameIn } from './name.ts';
import { type NameRecords, nameRecord, namingKind, namingOf } from './name-records.ts';
import { keepNames, type NamingPorts, pagesOf, provenAmong } from './naming.ts';

type Ports = Omit<NamingPorts, 'blobs'>;

const documentPlace = placeNumber({ role: 'metadata', kind: namingKind });
/** The newest statements about a document that get its name when it arrives after them. fsck names the others. */
const mostRows = 10_000;

/** How statements refer to a JSON document. */
function identifiersOf({ text, digest, multihash }: Cid): string[] {
  const others = [codecs.raw, codecs.jcs].map((codec) => makeCid(codec, digest, multihash).text);
  return [...new Set([text, ...others])].map(cidUrn);
}

/** Which documents statements give as metadata. Documents that are stored at once are looked up at once. */
type StatedAmong = (identifiers: readonly string[]) => Promise<ReadonlySet<string>>;

function lookingTogether(rows: StatementRows): StatedAmong {
  const gathering = new Gathering({ most: Infinity, atOnce: Infinity });
  return (identifiers) =>
    gathering.run('', identifiers, async (asked) => {
      const distinct = [...new Set(asked.flat())];
      const known = await rows.referring(distinct, [documentPlace], 1);
      const stated = new Set(distinct.filter((_, at) => known[at]?.length !== 0));
      return asked.map(() => stated);
    });
}

/** A document that is stored, and the name in it. */
interface NamedDocument {
  readonly cid: Cid;
  readonly found: SubjectName;
  /** Whether the store had it, so that its name is probably indexed. */
  readonly isKnown: boolean;
}

/** Indexes the names in documents for the statements that are stored already. */
async function nameByDocuments(
  ports: Ports,
  statedAmong: Readonly<Record<'verified' | 'unverified', StatedAmong>>,
  documents: readonly NamedDocument[],
) {
  const { names, rows, signatures } = ports;
  const places = [documentPlace];
  const byIdentifier = new Map(
    documents.flatMap((document) =>
      identifiersOf(document.cid)
        .filter((one) => nameFor(one, document.found) !== undefined)
        .map((one) => [one, document] as const),
    ),
  );
  if (byIdentifier.size === 0) return;
  for (const part of ['verified', 'unverified'] as const) {
    const stated = await statedAmong[part]([...byIdentifier.keys()]);
    for (const [identifier, { found, isKnown }] of byIdentifier) {
      if (!stated.has(identifier)) continue;
      const list = { by: 'reference', identifier, places } as const;
      if (isKnown && (await isNewestNamed(names, rows[part], list))) continue;
      for await (const page of pagesOf(rows[part], list, mostRows)) {
        const positions = new Map(page.map(({ jcsCid, position }) => [jcsCid.text, position]));
        const namings = page.flatMap((row) => namingOf(row) ?? []);
        const meant = namings.filter(({ document }) => document === identifier);
        const given = meant.map((naming) => ({ naming, name: found.name }));
        const proven = await provenAmong(signatures, given);
        await keepNames(
          ports,
          proven.map(({ naming, name }) => nameRecord(naming, name, positions.get(naming.id) ?? 0)),
          part === 'verified' ? page : [],
        );
      }
    }
  }
}

/** Otherwise a process was killed before it had indexed the names of a document. */
async function isNewestNamed(
  names: Pick<NameRecords, 'among'>,
  rows: StatementRows,
  list: StatementList,
): Promise<boolean> {
  const [newest] = (await rows.page(list, null, 1)).rows;
  if (!newest) return true;
  return (await names.among('key', [newest.jcsCid.text], 1)).flat().length > 0;
}

/** Indexes the name in each small JSON document that is stored. */
export function namedBlobs(blobs: BlobStore, ports: Ports): BlobStore {
  const statedAmong = {
    verified: lookingTogether(ports.rows.verified),
    unverified: lookingTogether(ports.rows.unverified),
  };
  const index: IndexDocuments = (documents) => nameByDocuments(ports, statedAmong, documents);
  return {
    ...blobs,
    stage: async () => named(await blobs.stage(), index),
    async putSmall(small) {
      const outcomes = await blobs.putSmall(small);
      const stored = small.filter((_, at) => outcomes[at] === 'stored');
      await index(
        stored.flatMap(({ cid, bytes }) => {
          const found = subjectNameIn(bytes);
          return found ? { cid, found, isKnown: false } : [];
        }),
      );
      return outcomes;
    },
  };
}

type IndexDocuments = (documents: readonly NamedDocument[]) => Promise<void>;

function named(staged: StagedBlob, index: IndexDocuments): StagedBlob {
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  let found: SubjectName | undefined;
  const readName = () => {
    if (chunks) found = subjectNameIn(Buffer.concat(chunks));
    chunks = null;
  };
  return {
    ...staged,
    async write(chunk) {
      await staged.write(chunk);
      size += chunk.length;
      const start = chunks?.[0] ?? chunk;
      if (size > documentLimit || !mayBeObject(start)) chunks = null;
      // The caller may use its chunk again.
      chunks?.push(Uint8Array.from(chunk));
    },
    async finish() {
      await staged.finish();
      readName();
    },
    async commit(cid) {
      readName();
      const outcome = await staged.commit(cid);
      if (found) await index([{ cid, found, isKnown: outcome === 'known' }]);
      return outcome;
    },
  };
}
