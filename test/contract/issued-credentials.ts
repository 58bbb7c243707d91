import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { credentials } from '../../src/domain/integrity/credentials/credential-records.ts';
import { issueCredential, issueCredentials } from '../../src/domain/integrity/credentials/issue.ts';
import { standings } from '../../src/domain/integrity/credentials/status.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { BlobStore } from '../../src/domain/integrity/ports.ts';
import { verifyProof } from '../../src/domain/integrity/proofs/verify-proof.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { allocating } from './status-entries.ts';

interface Store extends RecordStore, AsyncDisposable {
  readonly blobs: BlobStore;
}

/** Credentials that the service issues, in every store. */
export function issuedCredentialsContract(open: () => Promise<Store>): void {
  describe('issued credentials', () => {
    let store: Store;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());

    const signer = signerWith(newKey());
    const identifier = canonicalizer();
    const issuing = () => ({
      ...allocating(store),
      credentials: store.of(credentials),
      blobs: store.blobs,
      identifier,
      signer,
      now: () => new Date(),
    });
    const unsigned = (id = `urn:uuid:${randomUUID()}`) =>
      newCredential({ id, issuer: signer.did }) as { id: string };

    test('are signed, have status entries, and are stored as a blob of their JCS text', async () => {
      const given = unsigned();
      const { credentialId, cid, credential } = await issueCredential(issuing(), given);
      expect(credentialId).toBe(given.id);
      expect(credential).toMatchObject({
        ...given,
        credentialStatus: [{ statusPurpose: 'revocation' }, { statusPurpose: 'suspension' }],
      });
      expect(cid).toEqual(cidOf(codecs.jcs, jcs(credential)));
      expect(await store.blobs.size(cid)).toBe(Buffer.byteLength(jcs(credential)));
      const check = await verifyProof({ identifier, ownKeys: [] }, credential);
      expect([check.result, check.signer]).toEqual(['ok', signer.did]);
      const found = await standings(issuing().statusEntries, [credentialId]);
      expect(found.get(credentialId)).toEqual({ revoked: false, suspended: false });
    });

    test('are issued once per id, also at the same time and beside new ones', async () => {
      const given = unsigned();
      const [one, other] = await Promise.all([
        issueCredential(issuing(), given),
        issueCredential(issuing(), given),
      ]);
      expect(one).toEqual(other);
      const again = await issueCredentials(issuing(), [unsigned(), given, unsigned()]);
      expect(again[1]).toEqual(one);
      expect(new Set(again.map(({ credentialId }) => credentialId)).size).toBe(3);
    });

    test('an id that was allocated to an unsigned credential is refused', async () => {
      const given = unsigned();
      const record = { id: given.id, givenCid: 'x', text: '{}', sourceCid: null, createdAt: 1 };
      await store.of(credentials).insert([record]);
      await expect(issueCredential(issuing(), given)).rejects.toMatchObject({ code: 'conflict' });
    });

    test('a credential without entries has no standing', async () => {
      const found = await standings(issuing().statusEntries, ['urn:x:unknown']);
      expect(found.get('urn:x:unknown')).toBeUndefined();
    });
  });
}
