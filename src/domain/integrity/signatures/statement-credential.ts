import { parse, v5 as uuidV5 } from 'uuid';
import { credentialsV2 } from '../contexts/credentials.ts';
import { ownContextUrl } from '../contexts/own.ts';

/** As bytes, because the library takes longer to read them from text than to hash them. */
const namespace = parse(uuidV5.URL);

/** The id of the credential of an issuer for a statement: a UUIDv5 (RFC 9562) of both of their ids. */
export function credentialIdOf(statementId: string, did: string): string {
  return `urn:uuid:${uuidV5(Buffer.from(`${statementId} ${did}`), namespace)}`;
}

/**
 * An unsigned credential (VC Data Model 2.0) with which an issuer vouches for a statement.
 * @param time RFC 3339, UTC, whole seconds.
 */
export function statementCredential(
  statementId: string,
  did: string,
  time: string,
  id = credentialIdOf(statementId, did),
) {
  return {
    '@context': [credentialsV2],
    id,
    type: ['VerifiableCredential'],
    issuer: did,
    validFrom: time,
    credentialSubject: { id: statementId },
  };
}

/** The statement, without `@id`, with which the issuer registers the signed credential. */
export function credentialRegistration(credential: object, did: string, time: string) {
  return {
    '@context': ownContextUrl,
    '@type': 'CredentialRegistration',
    credential,
    registeredBy: did,
    timestamp: time,
  };
}
