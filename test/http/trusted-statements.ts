import { randomUUID } from 'node:crypto';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { type Asked, send } from './service.ts';

export type Json = Readonly<Record<string, unknown>>;

const identifier = canonicalizer();

/** What signs credentials with a new key. */
export function signingKey() {
  const key = newKey();
  return { key, identifier, signer: signerWith(key) };
}

const registrant = signingKey();

/** A credential that a key has signed, by default that of the registrant of these statements. */
export async function signedCredential(
  subject: string,
  more: Json = {},
  signing: ReturnType<typeof signingKey> = registrant,
): Promise<Json & { id: string }> {
  const unsigned = {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id: `urn:uuid:${randomUUID()}`,
    type: ['VerifiableCredential'],
    issuer: signing.key.did,
    credentialSubject: { id: subject },
    ...more,
  };
  return await addProof(signing, unsigned, { created: new Date('2026-01-31T12:00:00Z') });
}

let count = 0;

/** Statements of one registrant, the credentials about them, and requests of a service. */
export function trusted(service: Asked) {
  const { key } = registrant;
  const common = () => {
    count += 1;
    const timestamp = new Date(Date.UTC(2026, 0, 1, 0, 0, count)).toISOString().replace('.000', '');
    return { '@context': ownContextUrl, registeredBy: key.did, timestamp };
  };
  return {
    key,
    statement: (): Json => ({
      ...common(),
      '@type': 'DataRegistration',
      data: 'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu',
    }),
    registration: (credential: Json): Json => ({
      ...common(),
      '@type': 'CredentialRegistration',
      credential,
    }),
    put: (statement: unknown, more: Json = {}) =>
      send(service, 'PUT', '/statements/v1', { statement, generate_id: true, ...more }),
    verification: async (id: string) =>
      (await send(service, 'GET', `/statements/v1/id/${id}/verification`)).json,
    allocate: (credential: unknown) => send(service, 'POST', '/credentials/v1/allocate', credential),
    revoke: (id: string, { status, ...entry }: Json) =>
      send(service, 'POST', `/credentials/v1/revoke/${encodeURIComponent(id)}`, {
        credentialStatus: entry,
        ...(status !== undefined && { status }),
      }),
  };
}
