import pMap from 'p-map';
import { ServiceError } from '../../errors.ts';
import { storeBytes } from '../blobs/upload.ts';
import { jcs } from '../identification/jcs.ts';
import { type Cid, cidOf, codecs, parseCid } from '../identifiers/cid.ts';
import type { BlobStore } from '../ports.ts';
import { addProof, type ProofPorts } from '../proofs/data-integrity.ts';
import { type AllocationPorts, allocateStatuses } from './allocate.ts';
import { withStatus } from './allocate-credential.ts';
import {
  type Credential,
  type CredentialRecord,
  type CredentialRecords,
  credentialKey,
} from './credential-records.ts';

export interface IssuingPorts extends AllocationPorts, ProofPorts {
  readonly credentials: Pick<CredentialRecords, 'among' | 'insert'>;
  readonly blobs: Pick<BlobStore, 'stage'>;
  readonly now: () => Date;
}

export interface IssuedCredential {
  readonly credentialId: string;
  /** JCS CID of the blob with the signed credential. */
  readonly cid: Cid;
  readonly credential: Credential;
}

type Unsigned = Credential & { readonly id: string };

/** Blobs that are written at once. */
const issuedAtOnce = 8;

/**
 * Gives a credential status entries, signs it and stores it, as a blob and as a record. Repeats with the same id give
 * the first one, whatever their content.
 */
export async function issueCredential(ports: IssuingPorts, unsigned: Unsigned): Promise<IssuedCredential> {
  const [issued] = await issueCredentials(ports, [unsigned]);
  return issued as IssuedCredential;
}

/** As `issueCredential`, for several credentials with different ids. */
export async function issueCredentials(
  ports: IssuingPorts,
  unsigned: readonly Unsigned[],
): Promise<IssuedCredential[]> {
  const ids = unsigned.map(({ id }) => credentialKey(id));
  const known = await ports.credentials.among('key', ids, 1);
  const missing = unsigned.filter((_, at) => !known[at]?.[0]?.sourceCid);
  if (missing.length > 0) await issueMissing(ports, missing);
  const stored = missing.length > 0 ? await ports.credentials.among('key', ids, 1) : known;
  return stored.map(([record], at) => issuedOf(record, String(ids[at])));
}

async function issueMissing(ports: IssuingPorts, unsigned: readonly Unsigned[]): Promise<void> {
  const { credentials, blobs, now } = ports;
  const ids = unsigned.map(({ id }) => credentialKey(id));
  const pairs = await allocateStatuses(ports, ids);
  const records = await pMap(
    unsigned,
    async (given, at): Promise<CredentialRecord> => {
      const pair = pairs[at];
      if (!pair) throw new TypeError('An allocation has no result.');
      const created = now();
      const text = jcs(await addProof(ports, withStatus(given, pair), { created }));
      const source = cidOf(codecs.jcs, text);
      await storeBytes(blobs, Buffer.from(text), source);
      return {
        id: credentialKey(given.id),
        givenCid: cidOf(codecs.jcs, jcs(given)).text,
        text,
        sourceCid: source.text,
        createdAt: created.getTime(),
      };
    },
    { concurrency: issuedAtOnce },
  );
  await credentials.insert(records);
}

function issuedOf(record: CredentialRecord | undefined, id: string): IssuedCredential {
  if (!record?.sourceCid)
    throw new ServiceError(
      'conflict',
      `The id ${id} belongs to a stored credential that the service has not signed.`,
    );
  const { id: credentialId, text, sourceCid } = record;
  return { credentialId, cid: parseCid(sourceCid), credential: JSON.parse(text) };
}
