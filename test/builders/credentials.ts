import { randomUUID } from 'node:crypto';

export const contextV2 = 'https://www.w3.org/ns/credentials/v2';
export const contextV1 = 'https://www.w3.org/2018/credentials/v1';
export const someDid = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

/** A valid unsigned credential of VC Data Model 2.0. */
export function newCredential(more: Readonly<Record<string, unknown>> = {}) {
  return {
    '@context': [contextV2],
    id: `urn:uuid:${randomUUID()}`,
    type: ['VerifiableCredential'],
    issuer: someDid,
    validFrom: '2026-01-01T00:00:00Z',
    credentialSubject: { id: someDid },
    ...more,
  };
}

/** The same of VC Data Model 1.1. */
export function oldCredential(more: Readonly<Record<string, unknown>> = {}) {
  const { validFrom, ...credential } = newCredential();
  return { ...credential, '@context': [contextV1], issuanceDate: validFrom, ...more };
}
