import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { allocateStatus } from '../../src/domain/integrity/credentials/allocate.ts';
import { encodeBitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { credentials } from '../../src/domain/integrity/credentials/credential-records.ts';
import { issueCredential } from '../../src/domain/integrity/credentials/issue.ts';
import { revokeCredential } from '../../src/domain/integrity/credentials/revoke.ts';
import { signedStatusList } from '../../src/domain/integrity/credentials/signed-list.ts';
import {
  signedStatusLists,
  statusEntries,
  statusLists,
} from '../../src/domain/integrity/credentials/status-entries.ts';
import type { BlobStore } from '../../src/domain/integrity/ports.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { allocating } from './status-entries.ts';
import { type FsckPlace, runFsck } from './store-fsck.ts';

const [identifier, signer] = [canonicalizer(), signerWith(newKey())];

interface Revoked {
  readonly credentialId: string;
  /** Ids of its entries, the revoked one first. */
  readonly entries: readonly [string, string];
  readonly listId: string;
}

/** Issues a credential, revokes it, and signs its list. */
async function fillWith(store: RecordStore & { readonly blobs: BlobStore }): Promise<Revoked> {
  const now = () => new Date();
  const ports = {
    ...allocating(store),
    credentials: store.of(credentials),
    signedStatusLists: store.of(signedStatusLists),
    blobs: store.blobs,
    identifier,
    signer,
    now,
    base: () => 'https://cairn.example',
    issuedCredential: async () => undefined,
    requestStatusList: async () => undefined,
  };
  const unsigned = newCredential({ issuer: signer.did }) as { id: string };
  const { credentialId } = await issueCredential(ports, unsigned);
  const [revocation, suspension] = await allocateStatus(ports, credentialId);
  await revokeCredential(ports, credentialId, { ...revocation, status: true });
  const entryOf = ({ id }: { id: string }) => String(id.split('/').at(-1)).replace('#', '/');
  const entries = [entryOf(revocation), entryOf(suspension)] as const;
  const listId = String(entries[0].split('/')[0]);
  await signedStatusList(ports, listId);
  return { credentialId, entries, listId };
}

const restore = 'Restore the store from a backup.';

/** Changes a filled store. */
type Damage = (store: RecordStore, filled: Revoked) => Promise<unknown>;

/** What fsck says of credentials and status lists, on every store. */
export function fsckCredentialsContract(newPlace: () => Promise<FsckPlace>): void {
  describe('fsck of credentials', () => {
    /** @returns what fsck finds. */
    async function found(damage: Damage) {
      await using place = await newPlace();
      const filled = await damaged(place, damage);
      return { filled, problems: await problemsOf(place) };
    }

    /** @returns also what a repair does, and what is left. */
    async function repairedAfter(damage: Damage) {
      await using place = await newPlace();
      const filled = await damaged(place, damage);
      const problems = await problemsOf(place);
      const repaired = await problemsOf(place, true);
      return { filled, problems, repaired, left: await problemsOf(place) };
    }

    async function damaged(place: FsckPlace, damage: Damage): Promise<Revoked> {
      await using store = await place.open();
      const filled = await fillWith(store);
      await damage(store, filled);
      return filled;
    }

    async function problemsOf(place: FsckPlace, repair = false) {
      await using fsck = await place.fsck();
      return (await runFsck(fsck, { repair })).problems;
    }

    test('finds nothing wrong with revoked credentials, or with changes that are not signed yet', async () => {
      const change = { status: true, changes: 1, isListed: false };
      const { problems } = await found(async (store, { entries: [revocation, id] }) => {
        const entry = await store.of(statusEntries).get(revocation);
        const [listId = '', index] = id.split('/');
        const suspension = { ...change, id, listId, index: Number(index), purpose: 'suspension' as const };
        if (entry) await store.of(statusEntries).insert([{ ...entry, ...suspension }]);
      });
      expect(problems).toEqual([]);
    });

    test.each<[string, (text: string) => Promise<string> | string, RegExp]>([
      [
        'shows a wrong bit',
        async () => signed(await encodeBitstring([])),
        /wrong status of 1 entries, such as \d+$/,
      ],
      ['cannot be decoded', () => signed('x'), /cannot be read: encodedList must be/],
      ['is not JSON', () => '{', /is not JSON/],
    ])('removes a signed list that %s, so that it is made again', async (_, change, problem) => {
      const { filled, problems, repaired, left } = await repairedAfter(async (store, { listId }) =>
        store.of(signedStatusLists).update(listId, {}, { text: await change('') }),
      );
      const inList = { kind: 'status-list', id: filled.listId, severity: 'damage' };
      expect(problems).toMatchObject([
        { ...inList, problem: expect.stringMatching(problem), repair: 'possible' },
      ]);
      expect(repaired).toMatchObject([{ ...inList, repair: 'done' }]);
      expect(left).toEqual([]);
    });

    test('finds a change of an entry that the signed list lacks', async () => {
      const { problems } = await found((store, { entries }) =>
        store.of(statusEntries).update(entries[0], {}, { status: false }),
      );
      expect(problems).toMatchObject([{ kind: 'status-list', repair: 'possible' }]);
    });

    test('finds entries without a list, and credentials without entries', async () => {
      const withoutList = await found((store, { listId }) => store.of(statusLists).remove(listId));
      expect(withoutList.problems).toMatchObject([
        {
          kind: 'status-entry',
          id: withoutList.filled.entries[0],
          problem: `Its status list ${withoutList.filled.listId} does not exist. ${restore}`,
          repair: 'none',
        },
      ]);
      const withoutSuspensions = await found((store, { entries }) =>
        store.of(statusLists).remove(String(entries[1].split('/')[0])),
      );
      expect(withoutSuspensions.problems).toMatchObject([
        { kind: 'status-entry', problem: `The credential has no suspension entry. ${restore}` },
      ]);
      const withoutEntry = await found((store, { entries }) => store.of(statusEntries).remove(entries[0]));
      expect(withoutEntry.problems).toMatchObject([
        {
          kind: 'credential',
          id: withoutEntry.filled.credentialId,
          problem: `It has 0 status entries instead of 2. ${restore}`,
        },
        { kind: 'status-list' },
      ]);
    });

    test('finds an entry of another purpose or place than its list', async () => {
      const purpose = await found(async (store, { entries }) => {
        await store.of(statusEntries).update(entries[0], {}, { purpose: 'suspension' });
      });
      expect(purpose.problems.map(({ kind }) => kind)).toEqual(['status-entry', 'credential']);
      const moved = await found((store, { entries }) =>
        store.of(statusEntries).update(entries[0], {}, { index: 0 }),
      );
      expect(moved.problems[0]).toMatchObject({
        kind: 'status-entry',
        problem: expect.stringContaining('It is entry 0'),
      });
    });

    test('reports entries of an interrupted allocation as orphans', async () => {
      const { problems, left } = await repairedAfter((store) =>
        allocateStatus(allocating(store), `urn:uuid:${randomUUID()}`),
      );
      expect(problems).toHaveLength(1);
      for (const problem of [...problems, ...left])
        expect(problem).toMatchObject({ kind: 'status-entry', severity: 'orphan', repair: 'none' });
    });
  });
}

function signed(encodedList: string): string {
  return JSON.stringify({ credentialSubject: { encodedList } });
}
