import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/** Credentials with status entries. */
export const credentials = collection('credentials', {
  shape: z.object({
    /** As `credentialKey` writes it. */
    id: z.string(),
    /** JCS CID of the credential without what the service has added. */
    givenCid: z.string(),
    /** JCS text of the credential with its `credentialStatus`, signed if the service has issued it. */
    text: z.string(),
    /** JCS CID of the blob with the signed credential; null if the service has not signed it. */
    sourceCid: z.string().nullable(),
    createdAt: z.int(),
  }),
  key: 'id',
});

export type CredentialRecord = Readonly<z.output<typeof credentials.shape>>;
export type CredentialRecords = RecordsOf<typeof credentials>;

/** A credential as JSON. */
export type Credential = Readonly<Record<string, unknown>>;

const uuid = /^(?:urn:uuid:)?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/i;

/** The form under which a credential is stored: `urn:uuid:` and the lower-case UUID, or the id itself. */
export function credentialKey(id: string): string {
  const [, found] = uuid.exec(id) ?? [];
  return found === undefined ? id : `urn:uuid:${found.toLowerCase()}`;
}

/**
 * The key of the status entries of a credential that this service issues for a statement. Everybody can compute the id of
 * such a credential, and allocate it, so its entries are kept by its issuer too.
 */
export function issuedKey(issuer: string, id: string): string {
  return `${credentialKey(id)} ${issuer}`;
}

/** The credential id in the key of status entries. Neither DIDs nor ids have spaces. */
export function idInKey(key: string): string {
  return key.split(' ', 1)[0] ?? key;
}
