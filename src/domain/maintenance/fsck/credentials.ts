import { eachRecord } from '../../collections/records.ts';
import { Bitstring } from '../../integrity/credentials/bitstring.ts';
import {
  type CredentialRecord,
  credentials,
  idInKey,
} from '../../integrity/credentials/credential-records.ts';
import { listOf } from '../../integrity/credentials/credential-shape.ts';
import { setIndexes } from '../../integrity/credentials/signed-list.ts';
import {
  bothEntries,
  entryId,
  parseStatusListUrl,
  type SignedStatusList,
  type StatusEntry,
  type StatusList,
  signedStatusLists,
  statusEntries,
  statusLists,
  suspensionListId,
} from '../../integrity/credentials/status-entries.ts';
import { signatures } from '../../integrity/signatures/signatures.ts';
import { isObject } from '../../json/is-object.ts';
import type { StoreContents } from '../contents.ts';
import { lost, messageOfDamage, repairable, type StoreProblem } from '../problems.ts';
import type { FsckRun } from './run.ts';

const restore = 'Restore the store from a backup.';
const tries = 3;
const incompleteListed = 10_000;

/** Compares the entries of status lists with their credentials, their lists, and the bits of the signed lists. */
export async function* fsckCredentials({ store, repair }: FsckRun): AsyncGenerator<StoreProblem> {
  const incomplete: StatusEntry[] = [];
  yield* entryProblems(store, incomplete);
  yield* credentialProblems(store);
  for await (const page of store.records(signedStatusLists)) {
    for (const { id, record } of page) {
      // Records without the right shape are reported with the other records.
      if (!signedStatusLists.shape.safeParse(record).success) continue;
      const problem = await signedListProblem(store, id);
      if (problem === undefined) continue;
      if (repair) await store.removeRecord(signedStatusLists, id);
      yield repairable('status-list', id, problem, { repair });
    }
  }
  // A request that was running when they were read has stored its credential by now.
  yield* withoutCredential(store, incomplete);
}

/** @param incomplete gets the entries whose credential is not stored, a limited number. */
async function* entryProblems(store: StoreContents, incomplete: StatusEntry[]): AsyncGenerator<StoreProblem> {
  const lists = new Map<string, StatusList | undefined>();
  const read = async (id: string) => {
    if (!lists.has(id)) lists.set(id, await store.of(statusLists).get(id));
    return lists.get(id);
  };
  for await (const page of store.records(statusEntries)) {
    const entries = page.flatMap(({ record }) => statusEntries.shape.safeParse(record).data ?? []);
    const complete = await withStoredCredential(store, entries);
    const unpaired: StatusEntry[] = [];
    for (const entry of entries) {
      const { id, listId, purpose } = entry;
      const problem = entryProblem(entry, await read(listId));
      if (problem !== undefined) yield lost('status-entry', id, problem, restore);
      else if (purpose === 'revocation' && !(await read(suspensionListId(listId)))) unpaired.push(entry);
      if (!complete.has(entry) && incomplete.length < incompleteListed) incomplete.push(entry);
    }
    yield* withoutSuspension(
      store,
      unpaired.filter((entry) => complete.has(entry)),
    );
  }
}

/** Entries of a revocation list without a suspension list need a suspension entry of their own. Earlier versions made both. */
async function* withoutSuspension(
  store: StoreContents,
  entries: readonly StatusEntry[],
): AsyncGenerator<StoreProblem> {
  const keys = entries.map(({ credentialId }) => credentialId);
  const stored = await store.of(statusEntries).among('byCredential', keys, 2);
  for (const [at, { id }] of entries.entries())
    if (stored[at]?.length === 1)
      yield lost('status-entry', id, 'The credential has no suspension entry', restore);
}

/** Those whose credential is stored: allocated, or issued for a statement. */
async function withStoredCredential(store: StoreContents, entries: readonly StatusEntry[]) {
  const keys = entries.map(({ credentialId }) => credentialId);
  const allocated = await store.of(credentials).among('key', keys, 1);
  const issued = await store.of(signatures).among('byIssued', keys.map(idInKey), 1);
  const isStored = ({ credentialId }: StatusEntry, at: number) =>
    idInKey(credentialId) === credentialId ? allocated[at]?.length === 1 : issued[at]?.length === 1;
  return new Set(entries.filter(isStored));
}

function entryProblem({ id, listId, index, purpose }: StatusEntry, list: StatusList | undefined) {
  if (id !== entryId(listId, index)) return `It is entry ${index} of the list ${listId}`;
  if (!list) return `Its status list ${listId} does not exist`;
  return purpose === list.purpose ? undefined : `It is for ${purpose}, but its list is for ${list.purpose}`;
}

/** An allocation that was interrupted leaves entries. The next one for the same credential takes them. */
async function* withoutCredential(
  store: StoreContents,
  entries: readonly StatusEntry[],
): AsyncGenerator<StoreProblem> {
  const complete = await withStoredCredential(store, entries);
  for (const entry of entries) {
    if (complete.has(entry)) continue;
    const { id, credentialId } = entry;
    const problem = `It belongs to ${idInKey(credentialId)}, which is not stored. An interrupted request leaves such entries`;
    yield { kind: 'status-entry', id, problem, severity: 'orphan', repair: 'none' };
  }
}

async function* credentialProblems(store: StoreContents): AsyncGenerator<StoreProblem> {
  for await (const page of store.records(credentials)) {
    for (const { id, record } of page) {
      const { data } = credentials.shape.safeParse(record);
      const problem = data && (await credentialProblem(store, data));
      if (problem !== undefined) yield lost('credential', id, problem, restore);
    }
  }
}

/** Whether the credential names its entries. */
async function credentialProblem(store: StoreContents, { id, text }: CredentialRecord) {
  const named = entriesIn(text);
  if (!named) return 'Its text is not a credential';
  const [stored = []] = await store.of(statusEntries).among('byCredential', [id], 2);
  const both = bothEntries(stored);
  if (both.length < 2) return `It has ${both.length} status entries instead of 2`;
  const missing = both.find((entry) => !named.has(entry.id));
  return missing && `It does not name its entry ${missing.id}`;
}

function entriesIn(text: string): Set<string> | undefined {
  try {
    const { credentialStatus } = JSON.parse(text);
    const ids = listOf(credentialStatus).map((entry) => {
      const { statusListCredential, statusListIndex } = isObject(entry) ? entry : {};
      const list = parseStatusListUrl(String(statusListCredential));
      return list ? entryId(list.id, Number(statusListIndex)) : '';
    });
    return new Set(ids);
  } catch {
    return undefined;
  }
}

/** Other processes may change entries meanwhile, so a difference counts only if it stays. */
async function signedListProblem(store: StoreContents, listId: string): Promise<string | undefined> {
  let problem: string | undefined;
  for (let tried = 0; tried < tries; tried += 1) {
    const unlisted = await unlistedIndexes(store, listId);
    const signed = await store.of(signedStatusLists).get(listId);
    if (!signed) return undefined;
    problem = await differences(store, signed, unlisted);
    if (problem === undefined) return undefined;
  }
  return problem;
}

async function differences(
  store: StoreContents,
  { listId, text }: SignedStatusList,
  unlisted: ReadonlySet<number>,
): Promise<string | undefined> {
  const wanted = await setIndexes(store.of(statusEntries), listId);
  try {
    const bits = await Bitstring.decode(JSON.parse(text).credentialSubject.encodedList);
    const shown = new Set(bits.indexes());
    const wrong = [...wanted.symmetricDifference(shown)].filter((index) => !unlisted.has(index));
    if (wrong.length === 0) return undefined;
    return `Its signed form shows the wrong status of ${wrong.length} entries, such as ${wrong[0]}`;
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return 'Its signed form is not JSON';
    return `Its signed form cannot be read: ${messageOfDamage(error)}`;
  }
}

/** Changes that the signed form need not show yet. */
async function unlistedIndexes(store: StoreContents, listId: string): Promise<Set<number>> {
  const entries = eachRecord(store.of(statusEntries), 'unlisted', [listId]);
  return new Set(await Array.fromAsync(entries, ({ index }) => index));
}
