import pMap from 'p-map';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { cidIn, cidUrn } from '../identifiers/cid.ts';
import type { BlobStore, StatementRow } from '../ports.ts';
import { registrantOf } from '../signatures/proven.ts';
import type { Signatures } from '../signatures/signatures.ts';
import { afterWrites, type StatementWrites, type StoredRows } from '../statements/after-writes.ts';
import { rowsOfKind } from '../statements/packed-rows.ts';
import { placeNumber } from '../statements/places.ts';
import type {
  ListedStatement,
  PlacedStatement,
  StatementList,
  StatementRows,
  StatementRowsOfStore,
} from '../statements/rows.ts';
import { documentLimit, nameFor, subjectNameIn } from './name.ts';
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
  /** Makes names known to the search. @param rows their statements, as far as these are verified. */
  readonly search: (names: readonly NameRecord[], rows: readonly PlacedStatement[]) => Promise<void>;
  readonly signatures: Pick<Signatures, 'among'>;
  readonly rows: StatementRowsOfStore;
  readonly blobs: Pick<BlobStore, 'readSmall'>;
}

/** Each write changes most pages of the indexes of names. */
const namingsAtOnce = 2_000;
const proofsAtOnce = 8;

/** Indexes the names that statements give. */
async function nameSubjects(ports: NamingPorts, rows: StoredRows): Promise<void> {
  const meant = Array.from(rowsOfKind(rows, namingKind), namingOf).filter((naming) => naming !== undefined);
  for (let at = 0; at < meant.length; at += namingsAtOnce) {
    const named = await namesGiven(ports, meant.slice(at, at + namingsAtOnce));
    const { verified, positions } = await rowsOf(ports.rows, named);
    const records = named.flatMap(({ naming, name }) => {
      const position = positions.get(naming.id);
      return position === undefined ? [] : nameRecord(naming, name, position);
    });
    await keepNames(ports, records, verified);
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

/** Where the verified rows of statements are, and where they and the unverified ones are in the order of storing. */
async function rowsOf(rows: StatementRowsOfStore, named: readonly Given[]) {
  const cids = named.flatMap(({ naming: { id } }) => cidIn(id) ?? []);
  const found = cids.length > 0 ? await rows.verified.placed(cids) : [];
  const others = cids.filter((_, at) => !found[at]);
  const unverified = others.length > 0 ? await rows.unverified.placed(others) : [];
  const verified = found.filter((row) => row !== undefined);
  const all = [...verified, ...unverified.filter((row) => row !== undefined)];
  return { verified, positions: new Map(all.map(({ jcsCid, position }) => [jcsCid.text, position])) };
}

/**
 * Stores records over those that differ, such as one from when the statement was not verified yet. A repeat makes names known to
 * the search that an interrupted write has not.
 * @param verified as in `NamingPorts`.
 */
export async function keepNames(
  { names, search }: Pick<NamingPorts, 'names' | 'search'>,
  records: readonly NameRecord[],
  verified: readonly PlacedStatement[],
): Promise<void> {
  if (records.length === 0) return;
  const [areNew] = await Promise.all([names.insert(records), search(records, verified)]);
  const known = records.filter((_, at) => !areNew[at]);
  const stored =
    known.length === 0 ? [] : (await names.among('key', [...new Set(known.map(({ id }) => id))], 1)).flat();
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

const subjectPlace = placeNumber({ role: 'subject', kind: namingKind });
const rowsAtOnce = 200;
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
        await keepNames(ports, await recordsOf(ports, page.map(placed)), page);
  }
}

function placed(row: ListedStatement) {
  return { row, position: row.position };
}

/** Pages of a list, until so many rows were looked at. */
export async function* pagesOf(rows: StatementRows, list: StatementList, most: number) {
  for (let [after, looked]: [string | null, number] = [null, 0]; looked < most; ) {
    const page = await rows.page(list, after, rowsAtOnce);
    yield page.rows;
    if (page.next === null) return;
    [after, looked] = [page.next, looked + page.rows.length];
    await yieldToEventLoop();
  }
}

const newestLooked = 1_000;

/**
 * Indexes the names of the newest statements that have none yet, because a process may have been killed between storing and
 * naming. Repeats of older requests do it for the others.
 */
export async function nameNewest(ports: NamingPorts): Promise<void> {
  const list = { by: 'kind', kind: namingKind } as const;
  for await (const page of pagesOf(ports.rows.verified, list, newestLooked))
    await keepNames(ports, await recordsOf(ports, page.map(placed)), page);
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
