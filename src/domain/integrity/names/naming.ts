import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type Cid, cidIn, cidUrn, urnsOfBytes } from '../identifiers/cid.ts';
import type { GraphImports } from '../manifest/ports.ts';
import type { BlobStore, PutCounts, StagedBlob, StatementRow, StatementStore } from '../ports.ts';
import { PackedRows, rowsOfKind } from '../statements/packed-rows.ts';
import { placeNumber } from '../statements/places.ts';
import type { StatementRowsOfStore } from '../statements/rows.ts';
import { documentLimit, mayBeObject, subjectNameIn } from './name.ts';
import { type NameRecords, type Naming, nameRecord, namingKind, namingOf } from './name-records.ts';

export interface NamingPorts {
  readonly names: Pick<NameRecords, 'insert'>;
  readonly rows: StatementRowsOfStore;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
}

const namingsAtOnce = 500;

/** Indexes the names that statements give. */
async function nameSubjects(ports: NamingPorts, rows: PackedRows | readonly StatementRow[]): Promise<void> {
  const meant = Array.from(rowsOfKind(rows, namingKind), namingOf).filter((naming) => naming !== undefined);
  for (let at = 0; at < meant.length; at += namingsAtOnce) {
    const records = await recordsOf(ports.blobs, meant.slice(at, at + namingsAtOnce));
    if (records.length > 0) await ports.names.insert(records);
  }
}

/** The records of those whose documents are stored and have a name. */
export async function recordsOf(blobs: NamingPorts['blobs'], namings: readonly Naming[]) {
  const documents = namings.flatMap(({ document }) => cidIn(document) ?? []);
  const cids = new Map(documents.map((cid) => [cid.text, cid]));
  const found = await blobs.readSmall([...cids.values()], documentLimit);
  const names = new Map(
    [...cids.keys()].map((text, at) => {
      const bytes = found[at];
      return [cidUrn(text), bytes && subjectNameIn(bytes)];
    }),
  );
  return namings.flatMap((naming) => {
    const name = names.get(naming.document);
    return name === undefined ? [] : nameRecord(naming, name);
  });
}

const documentPlace = placeNumber({ role: 'metadata', kind: namingKind });
const rowsAtOnce = 200;
/** The newest statements about a document that get its name when it arrives after them. fsck names the others. */
const mostRows = 10_000;

/** Indexes the name in a document for the statements that are stored already. */
async function nameByDocument({ names, rows }: Omit<NamingPorts, 'blobs'>, cid: Cid, name: string) {
  const places = [documentPlace];
  const identifiers = urnsOfBytes(cid);
  for (const part of [rows.verified, rows.unverified]) {
    const known = await part.referring(identifiers, places, 1);
    for (const identifier of identifiers.filter((_, at) => known[at]?.length !== 0)) {
      const list = { by: 'reference', identifier, places } as const;
      let looks = 0;
      for (let after: string | null = null; looks < mostRows; ) {
        const page = await part.page(list, after, rowsAtOnce);
        const namings = page.rows.flatMap((row) => namingOf(row) ?? []);
        const meant = namings.filter(({ document }) => document === identifier);
        if (meant.length > 0) await names.insert(meant.map((naming) => nameRecord(naming, name)));
        if (page.next === null) break;
        looks += page.rows.length;
        after = page.next;
        await yieldToEventLoop();
      }
    }
  }
}

/** Indexes the name in each small JSON document that is stored. */
export function namedBlobs(blobs: BlobStore, ports: Omit<NamingPorts, 'blobs'>): BlobStore {
  return { ...blobs, stage: async () => named(await blobs.stage(), ports) };
}

function named(staged: StagedBlob, ports: Omit<NamingPorts, 'blobs'>): StagedBlob {
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  let name: string | undefined;
  const readName = () => {
    if (chunks) name = subjectNameIn(Buffer.concat(chunks));
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
      if (name !== undefined) await nameByDocument(ports, cid, name);
      return outcome;
    },
  };
}

const newestLooked = 1_000;

/**
 * Indexes the names of the newest statements that have none yet, because a process may have been killed between storing and
 * naming. Repeats of older requests do it for the others.
 */
export async function nameNewest({ names, rows, blobs }: NamingPorts): Promise<void> {
  const list = { by: 'kind', kind: namingKind } as const;
  for (let [after, looked]: [string | null, number] = [null, 0]; looked < newestLooked; ) {
    const page = await rows.verified.page(list, after, rowsAtOnce);
    const namings = page.rows.flatMap((row) => namingOf(row) ?? []);
    const records = await recordsOf(blobs, namings);
    if (records.length > 0) await names.insert(records);
    if (page.next === null) return;
    [after, looked] = [page.next, looked + page.rows.length];
    await yieldToEventLoop();
  }
}

interface Writes {
  readonly statements: StatementStore;
  readonly graphImports: GraphImports;
}

/**
 * Indexes names as soon as a statement and its document are stored. Both sides look for each other after they are
 * stored themselves, so whichever comes second finds the first. A repeated write indexes what an interrupted one has not.
 */
export function namedWrites({ statements, graphImports }: Writes, ports: NamingPorts): Writes {
  const thenName = async (given: Iterable<StatementRow>, put: (rows: typeof given) => Promise<PutCounts>) => {
    const rows = given instanceof PackedRows ? given : [...given];
    const counts = await put(rows);
    await nameSubjects(ports, rows);
    return counts;
  };
  return {
    statements: {
      ...statements,
      putMany: (given, ...under) => thenName(given, (rows) => statements.putMany(rows, ...under)),
    },
    graphImports: {
      async begin(projectId) {
        const coming = await graphImports.begin(projectId);
        return { ...coming, put: (given) => thenName(given, (rows) => coming.put(rows)) };
      },
    },
  };
}
