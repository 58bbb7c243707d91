import { ServiceError } from '../../errors.ts';
import { credentialsV1 } from '../contexts/credentials.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';
import type { Identifier } from '../ports.ts';
import { type AllocationPorts, allocateStatus, type CredentialStatus } from './allocate.ts';
import {
  type Credential,
  type CredentialRecord,
  type CredentialRecords,
  credentialKey,
} from './credential-records.ts';
import { listOf } from './credential-shape.ts';
import { assertCredential } from './validate.ts';

export interface CredentialAllocation extends AllocationPorts {
  readonly credentials: Pick<CredentialRecords, 'get' | 'insert'>;
  readonly identifier: Pick<Identifier, 'identify'>;
  readonly now: () => Date;
  readonly newId: () => string;
}

/** It defines the entries for credentials of version 1. The context of version 2 does so itself. */
const statusContext = 'https://www.w3.org/ns/credentials/status/v1';

/**
 * Stores an unsigned credential and gives it status entries. Repeats give the first answer.
 * @param bytes the JSON text of the credential.
 * @returns the JSON text of the credential with its entries.
 * @throws ServiceError `invalid_credential`, `unknown_context`; `conflict` if the id belongs to another credential.
 */
export async function allocateCredential(
  ports: CredentialAllocation,
  credential: Credential,
  bytes: Uint8Array,
): Promise<string> {
  if (Object.hasOwn(credential, 'proof')) throwHasProof();
  await assertCredential(ports.identifier, credential, bytes);
  const given = { ...credential, id: String(credential.id ?? `urn:uuid:${ports.newId()}`) };
  const id = credentialKey(given.id);
  const text = jcs(given);
  const givenCid = cidOf(codecs.jcs, text).text;
  const stored = await ports.credentials.get(id);
  if (stored) return sameText(stored, givenCid, text);
  const record = {
    id,
    givenCid,
    text: jcs(withStatus(given, await allocateStatus(ports, id))),
    sourceCid: null,
    createdAt: ports.now().getTime(),
  };
  const [isNew] = await ports.credentials.insert([record]);
  if (isNew) return record.text;
  const first = await ports.credentials.get(id);
  return first ? sameText(first, givenCid, text) : throwOtherCredential(id);
}

/** The answer to the first request, if this one has the same content: what was given, or what was answered. */
function sameText(stored: CredentialRecord, givenCid: string, text: string): string {
  return stored.givenCid === givenCid || stored.text === text ? stored.text : throwOtherCredential(stored.id);
}

/** Adds the entries, and the context that defines them. */
export function withStatus<Given extends Credential>(
  credential: Given,
  entries: readonly CredentialStatus[],
) {
  const contexts = listOf(credential['@context']);
  const isDefined = contexts[0] !== credentialsV1 || contexts.includes(statusContext);
  return {
    ...credential,
    '@context': isDefined ? contexts : [...contexts, statusContext],
    credentialStatus: [...listOf(credential.credentialStatus), ...entries],
  };
}

function throwHasProof(): never {
  const reason = 'Remove it. A proof does not cover entries that are added later';
  throw new ServiceError('invalid_credential', `The credential already has a proof. ${reason}.`, {
    details: [{ pointer: '/proof', reason }],
  });
}

function throwOtherCredential(id: string): never {
  const message = `The id ${id} belongs to a stored credential with other content. Choose another id.`;
  throw new ServiceError('conflict', message);
}
