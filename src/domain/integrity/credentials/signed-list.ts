import pMap from 'p-map';
import { eachRecord, firstRecord } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import { credentialsV2 } from '../contexts/credentials.ts';
import { jcs } from '../identification/jcs.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import { addProof, type ProofPorts } from '../proofs/data-integrity.ts';
import type { Signer } from '../signer.ts';
import { Bitstring, encodeBitstring } from './bitstring.ts';
import { unloggedForms } from './logged-lists.ts';
import {
  type SignedStatusList,
  type SignedStatusLists,
  type StatusEntries,
  type StatusList,
  type StatusLists,
  statusListUrl,
} from './status-entries.ts';

export interface SignedListPorts {
  readonly statusLists: Pick<StatusLists, 'get'>;
  readonly statusEntries: Pick<StatusEntries, 'page' | 'update'>;
  readonly signedStatusLists: Pick<SignedStatusLists, 'get' | 'insert' | 'update'>;
  readonly identifier: ProofPorts['identifier'];
  readonly signer: Signer;
  readonly now: () => Date;
}

const atOnce = { limit: 1_000 };
const updatesAtOnce = 16;

/**
 * The signed form of a list, which shows every status that was stored before the call.
 *
 * A change of an entry and its mark `isListed: false` are one write. The mark goes only after a form with this change
 * is stored, and a form is stored only over the one that it was made from. So a process may stop after any step: the
 * last form and the marked entries together are the list.
 * @throws ServiceError `not_found`.
 */
export async function signedStatusList(ports: SignedListPorts, listId: string): Promise<SignedStatusList> {
  const list = await ports.statusLists.get(listId);
  if (!list) throw new ServiceError('not_found', `There is no status list ${listId}.`);
  for (;;) {
    // Read before the form: a form that is older than a mark may lack its change.
    const isComplete = await isListed(ports, listId);
    const last = await ports.signedStatusLists.get(listId);
    if (last && isComplete) return last;
    const made = await signAgain(ports, list, last);
    if (made) return made;
  }
}

/** Whether the last signed form shows every entry of a list. */
export async function isListed(
  { statusEntries }: Pick<SignedListPorts, 'statusEntries'>,
  listId: string,
): Promise<boolean> {
  return (await firstRecord(statusEntries, 'unlisted', [listId])) === undefined;
}

/** @returns undefined if another process has stored a form meanwhile. */
async function signAgain(ports: SignedListPorts, list: StatusList, last: SignedStatusList | undefined) {
  const { statusEntries, signedStatusLists } = ports;
  const indexes = last && (await indexesIn(last.text));
  const unlisted = await Array.fromAsync(eachRecord(statusEntries, 'unlisted', [list.id], atOnce));
  for (const { index, status } of unlisted) status ? indexes?.add(index) : indexes?.delete(index);
  const unsigned = await unsignedList(ports, list, indexes ?? (await setIndexes(statusEntries, list.id)));
  const signed = await addProof(ports, unsigned, { created: ports.now() });
  const form = {
    listId: list.id,
    version: (last?.version ?? 0) + 1,
    text: jcs(signed),
    isLogged: false,
    unlogged: [...unloggedForms(last)],
  };
  const isStored = last
    ? await signedStatusLists.update(list.id, { version: last.version }, form)
    : (await signedStatusLists.insert([form]))[0];
  if (!isStored) return undefined;
  await pMap(unlisted, ({ id, changes }) => statusEntries.update(id, { changes }, { isListed: true }), {
    concurrency: updatesAtOnce,
  });
  return form;
}

/** The set indexes of a signed list; undefined if it cannot be read. */
async function indexesIn(text: string): Promise<Set<number> | undefined> {
  try {
    return new Set((await Bitstring.decode(JSON.parse(text).credentialSubject.encodedList)).indexes());
  } catch {
    return undefined;
  }
}

/** The set indexes of a list by its entries, which takes seconds for a full one. */
export async function setIndexes(
  statusEntries: Pick<StatusEntries, 'page'>,
  listId: string,
): Promise<Set<number>> {
  const entries = eachRecord(statusEntries, 'set', [listId], atOnce);
  return new Set(await Array.fromAsync(entries, ({ index }) => index));
}

/** A BitstringStatusListCredential (Bitstring Status List 1.0, section 2.2). */
async function unsignedList(
  { signer, now }: Pick<SignedListPorts, 'signer' | 'now'>,
  list: StatusList,
  indexes: Iterable<number>,
) {
  const url = statusListUrl(list);
  return {
    '@context': [credentialsV2],
    id: url,
    type: ['VerifiableCredential', 'BitstringStatusListCredential'],
    issuer: signer.did,
    validFrom: statementTime(now()),
    credentialSubject: {
      id: `${url}#list`,
      type: 'BitstringStatusList',
      statusPurpose: list.purpose,
      encodedList: await encodeBitstring(indexes),
    },
  };
}
