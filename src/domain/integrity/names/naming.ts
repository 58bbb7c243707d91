import pMap from 'p-map';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { type Cid, cidIn, cidUrn, urnsOfBytes } from '../identifiers/cid.ts';
import type { BlobStore, StagedBlob, StatementRow } from '../ports.ts';
import { registrantOf } from '../signatures/proven.ts';
import type { Signatures } from '../signatures/signatures.ts';
import { afterWrites, type StatementWrites, type StoredRows } from '../statements/after-writes.ts';
import { rowsOfKind } from '../statements/packed-rows.ts';
import { placeNumber } from '../statements/places.ts';
import type {
  ListedStatement,
  StatementList,
  StatementRows,
  StatementRowsOfStore,
} from '../statements/rows.ts';
import { documentLimit, mayBeObject, nameFor, type SubjectName, subjectNameIn } from './name.ts';
import {
  type NameRecord,
  type NameRecords,
  type Naming,
  nameRecord,
  namingKind,
  namingOf,
} from './name-records.ts';

export interface NamingPorts {
  readonly names: Pick<NameRecords, 'among' | 'insert' | 'update'>;
  readonly signatures: Pick<Signatures, 'among'>;
  readonly rows: StatementRowsOfStore;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
}

type Without<Port extends keyof NamingPorts> = Omit<NamingPorts, Port>;

const namingsAtOnce = 500;
const proofsAtOnce = 8;

/** Indexes the names that statements give. */
async function nameSubjects(ports: NamingPorts, rows: StoredRows): Promise<void> {
  const meant = Array.from(rowsOfKind(rows, namingKind), namingOf).filter((naming) => naming !== undefined);
  for (let at = 0; at < meant.length; at += namingsAtOnce) {
    const named = await namesGiven(ports, meant.slice(at, at + namingsAtOnce));
    const positions = await positionsOf(ports.rows, named);
    const records = named.flatMap(({ naming, name }) => {
      const position = positions.get(naming.id);
      return position === undefined ? [] : nameRecord(naming, name, position);
    });
    await keepNames(ports.names, records);
  }
}

interface Given {
  readonly naming: Naming;
  readonly name: string;
}

/** The names of those whose documents are stored and have one, and whose signatures are stored if they need one. */
async function namesGiven(
  { blobs, signatures }: Pick<NamingPorts, 'blobs' | 'signatures'>,
  namings: readonly Naming[],
): Promise<Given[]> {
  const cids = new Map(
    namings.flatMap(({ document }) => cidIn(document) ?? []).map((cid) => [cid.text, cid]),
  );
  const found = await blobs.readSmall([...cids.values()], documentLimit);
  const documents = new Map(
    [...cids.keys()].map((text, at) => [cidUrn(text), found[at] && subjectNameIn(found[at])]),
  );
  const named = namings.flatMap((naming) => {
    const name = nameFor(naming.document, documents.get(naming.document));
    return name === undefined ? [] : { naming, name };
  });
  return await provenAmong(signatures, named);
}

/** Those that need no signature, or have it. */
export async function provenAmong<One extends Pick<Given, 'naming'>>(
  signatures: NamingPorts['signatures'],
  given: readonly One[],
): Promise<One[]> {
  const isProven = async ({ naming: { needed } }: One) => {
    if (!needed) return true;
    const { statement, signer } = needed;
    const [found = []] = await signatures.among('byProof', [statement], 1, ['ok', signer]);
    return found.some((signed) => signed.result === 'ok' && signed.signer === signer);
  };
  const areProven = await pMap(given, isProven, { concurrency: proofsAtOnce });
  return given.filter((_, at) => areProven[at]);
}

async function positionsOf({ verified, unverified }: StatementRowsOfStore, named: readonly Given[]) {
  const cids = named.flatMap(({ naming: { id } }) => cidIn(id) ?? []);
  if (cids.length === 0) return new Map<string, number>();
  const found = (await Promise.all([unverified.whole(cids), verified.whole(cids)])).flat();
  return new Map(found.flatMap((row) => (row ? [[row.jcsCid.text, row.position] as const] : [])));
}

/** Stores records over those that differ, such as one from when the statement was not verified yet. */
export async function keepNames(names: NamingPorts['names'], records: readonly NameRecord[]): Promise<void> {
  if (records.length === 0) return;
  const areNew = await names.insert(records);
  const known = records.filter((_, at) => !areNew[at]);
  if (known.length === 0) return;
  const stored = (await names.among('key', [...new Set(known.map(({ id }) => id))], 1)).flat();
  const byId = new Map(stored.map((record) => [record.id, record]));
  for (const { id, ...record } of known) {
    const { subject, name, newestFirst } = byId.get(id) ?? {};
    const isSame = subject === record.subject && name === record.name && newestFirst === record.newestFirst;
    if (!isSame) await names.update(id, {}, record);
  }
}

/** The records that these stored statements give. */
export async function recordsOf(
  ports: Pick<NamingPorts, 'blobs' | 'signatures'>,
  stored: readonly { readonly row: StatementRow; readonly position: number }[],
): Promise<NameRecord[]> {
  const positions = new Map<Naming, number>();
  for (const { row, position } of stored) {
    const naming = namingOf(row);
    if (naming) positions.set(naming, position);
  }
  const named = await namesGiven(ports, [...positions.keys()]);
  return named.map(({ naming, name }) => nameRecord(naming, name, positions.get(naming) ?? 0));
}

const documentPlace = placeNumber({ role: 'metadata', kind: namingKind });
const subjectPlace = placeNumber({ role: 'subject', kind: namingKind });
const rowsAtOnce = 200;
/** The newest statements about a document that get its name when it arrives after them. fsck names the others. */
const mostRows = 10_000;

type IsStated = (identifier: string) => Promise<boolean>;

/** Whether a statement gives a document as metadata. Documents that are stored at once are looked up at once. */
function lookingTogether(rows: StatementRows): IsStated {
  let asked: Promise<ReadonlyMap<string, boolean>> | undefined;
  let identifiers = new Set<string>();
  const look = async () => {
    await new Promise((resolve) => setImmediate(resolve));
    const now = [...identifiers];
    [asked, identifiers] = [undefined, new Set()];
    const known = await rows.referring(now, [documentPlace], 1);
    return new Map(now.map((identifier, at) => [identifier, known[at]?.length !== 0]));
  };
  return async (identifier) => {
    identifiers.add(identifier);
    asked ??= look();
    return (await asked).get(identifier) ?? false;
  };
}

/** Indexes the name in a document for the statements that are stored already. */
async function nameByDocument(
  { names, rows, signatures }: Without<'blobs'>,
  isStated: Readonly<Record<'verified' | 'unverified', IsStated>>,
  cid: Cid,
  found: SubjectName,
) {
  const places = [documentPlace];
  const identifiers = urnsOfBytes(cid).filter((one) => nameFor(one, found) !== undefined);
  for (const name of ['verified', 'unverified'] as const) {
    const part = rows[name];
    for (const identifier of identifiers) {
      if (!(await isStated[name](identifier))) continue;
      const list = { by: 'reference', identifier, places } as const;
      for await (const page of pagesOf(part, list, mostRows)) {
        const positions = new Map(page.map(({ jcsCid, position }) => [jcsCid.text, position]));
        const namings = page.flatMap((row) => namingOf(row) ?? []);
        const meant = namings.filter(({ document }) => document === identifier);
        const given = meant.map((naming) => ({ naming, name: found.name }));
        const proven = await provenAmong(signatures, given);
        await keepNames(
          names,
          proven.map(({ naming, name }) => nameRecord(naming, name, positions.get(naming.id) ?? 0)),
        );
      }
    }
  }
}

/** The newest statements about a DID that are looked at when it signs something. */
const mostAboutSigner = 1_000;

/** Indexes the names that DIDs have given themselves before they signed them. */
async function nameSigners(ports: NamingPorts, rows: StoredRows): Promise<void> {
  const registrants = new Set(Iterator.from(rowsOfKind(rows, 'CredentialRegistration')).map(registrantOf));
  const dids = [...registrants].filter((one) => one?.startsWith('did:')).map(String);
  const places = [subjectPlace];
  for (let at = 0; at < dids.length; at += namingsAtOnce) {
    const some = dids.slice(at, at + namingsAtOnce);
    const known = await ports.rows.verified.referring(some, places, 1);
    for (const identifier of some.filter((_, index) => known[index]?.length !== 0))
      for await (const page of pagesOf(
        ports.rows.verified,
        { by: 'reference', identifier, places },
        mostAboutSigner,
      ))
        await keepNames(ports.names, await recordsOf(ports, page.map(placed)));
  }
}

function placed(row: ListedStatement) {
  return { row, position: row.position };
}

async function* pagesOf(rows: StatementRows, list: StatementList, most: number) {
  for (let [after, looked]: [string | null, number] = [null, 0]; looked < most; ) {
    const page = await rows.page(list, after, rowsAtOnce);
    yield page.rows;
    if (page.next === null) return;
    [after, looked] = [page.next, looked + page.rows.length];
    await yieldToEventLoop();
  }
}

/** Indexes the name in each small JSON document that is stored. */
export function namedBlobs(blobs: BlobStore, ports: Without<'blobs'>): BlobStore {
  const isStated = {
    verified: lookingTogether(ports.rows.verified),
    unverified: lookingTogether(ports.rows.unverified),
  };
  const index = (cid: Cid, name: SubjectName) => nameByDocument(ports, isStated, cid, name);
  return { ...blobs, stage: async () => named(await blobs.stage(), index) };
}

function named(staged: StagedBlob, index: (cid: Cid, name: SubjectName) => Promise<void>): StagedBlob {
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  let name: SubjectName | undefined;
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
      if (name !== undefined) await index(cid, name);
      return outcome;
    },
  };
}

const newestLooked = 1_000;

/**
 * Indexes the names of the newest statements that have none yet, because a process may have been killed between storing and
 * naming. Repeats of older requests do it for the others.
 */
export async function nameNewest(ports: NamingPorts): Promise<void> {
  const list = { by: 'kind', kind: namingKind } as const;
  for await (const page of pagesOf(ports.rows.verified, list, newestLooked))
    await keepNames(ports.names, await recordsOf(ports, page.map(placed)));
}

/**
 * Indexes names as soon as a statement, its document, and the signature that it may need, are stored. Each looks for the
 * others after it is stored itself, so whichever comes last finds the rest. A repeated write indexes what an interrupted one has not.
 */
export function namedWrites(writes: StatementWrites, ports: NamingPorts): StatementWrites {
  return afterWrites(writes, async (rows) => {
    await nameSubjects(ports, rows);
    await nameSigners(ports, rows);
  });
}
