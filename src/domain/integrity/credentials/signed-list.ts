import pMap from 'p-map';
import { ServiceError } from '../../errors.ts';
import { jcs } from '../identification/jcs.ts';
import { statementTime } from '../identifiers/timestamp.ts';
import { addProof, type ProofPorts } from '../proofs/data-integrity.ts';
import type { Signer } from '../signer.ts';
import { encodeBitstring } from './bitstring.ts';
import { contextV2 } from './credential-shape.ts';
import type {
  SignedStatusList,
  SignedStatusLists,
  StatusEntries,
  StatusEntry,
  StatusList,
  StatusLists,
} from './status-entries.ts';
import { statusListUrl } from './status-list-url.ts';

export interface SignedListPorts {
  readonly statusLists: Pick<StatusLists, 'get'>;
  readonly statusEntries: Pick<StatusEntries, 'page' | 'update'>;
  readonly signedStatusLists: Pick<SignedStatusLists, 'get' | 'insert' | 'update'>;
  readonly identifier: ProofPorts['identifier'];
  readonly signer: Signer;
  readonly now: () => Date;
}

const entriesAtOnce = 1_000;
const updatesAtOnce = 16;

/**
 * The signed form of a list, which shows every status that was stored before the call. It is made from the entries
 * unless the last form still shows them all.
 *
 * A change of an entry and its mark `isListed: false` are one write. The mark goes only after a form with this change
 * is stored, and a form is stored only over the one that was there before its entries were read. So a process may stop
 * after any step, and a form without the mark of a change is never the last one.
 * @throws ServiceError `not_found`.
 */
export async function signedStatusList(ports: SignedListPorts, listId: string): Promise<SignedStatusList> {
  const list = await ports.statusLists.get(listId);
  if (!list) throw new ServiceError('not_found', `There is no status list ${listId}.`);
  for (;;) {
    // Read before the form, which must not be older than the marks.
    const { records: unlisted } = await ports.statusEntries.page('byListed', [false, listId], {
      after: null,
      limit: entriesAtOnce,
    });
    const last = await ports.signedStatusLists.get(listId);
    if (last && unlisted.length === 0) return last;
    await signAgain(ports, list, last, unlisted);
  }
}

async function signAgain(
  ports: SignedListPorts,
  list: StatusList,
  last: SignedStatusList | undefined,
  unlisted: readonly StatusEntry[],
): Promise<void> {
  const { statusEntries, signedStatusLists } = ports;
  const indexes = await Array.fromAsync(setIndexes(statusEntries, list.id));
  const signed = await addProof(ports, await unsignedList(ports, list, indexes), { created: ports.now() });
  const change = { version: (last?.version ?? 0) + 1, text: jcs(signed) };
  const isStored = last
    ? await signedStatusLists.update(list.id, { version: last.version }, change)
    : (await signedStatusLists.insert([{ listId: list.id, ...change }]))[0];
  if (!isStored) return;
  await pMap(unlisted, ({ id, changes }) => statusEntries.update(id, { changes }, { isListed: true }), {
    concurrency: updatesAtOnce,
  });
}

/** The indexes of a list whose bit is set. */
export async function* setIndexes(
  statusEntries: Pick<StatusEntries, 'page'>,
  listId: string,
): AsyncGenerator<number> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: Awaited<ReturnType<StatusEntries['page']>> = await statusEntries.page(
      'byStatus',
      [listId, true],
      { after, limit: entriesAtOnce },
    );
    for (const { index } of page.records) yield index;
    after = page.next;
  }
}

/** A BitstringStatusListCredential (Bitstring Status List 1.0, section 2.2). */
async function unsignedList(
  { signer, now }: Pick<SignedListPorts, 'signer' | 'now'>,
  list: StatusList,
  indexes: readonly number[],
) {
  const url = statusListUrl(list);
  return {
    '@context': [contextV2],
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
