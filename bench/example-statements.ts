import { ownContextUrl } from '../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../src/domain/integrity/identifiers/cid.ts';

const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';

function artefact(name: string): string {
  return cidUrn(cidOf(codecs.raw, name));
}

function time(second: number): string {
  return new Date(Date.UTC(2026, 0, 1) + second * 1_000).toISOString().replace('.000Z', 'Z');
}

/**
 * A typical statement of a pipeline: chained computations, data and metadata of their outputs, storage.
 * Deterministic; each `index` gives another statement.
 */
export function exampleStatement(index: number, run = ''): Record<string, unknown> {
  const common = { '@context': ownContextUrl, registeredBy: did, timestamp: time(index) };
  const output = artefact(`${run}output ${index}`);
  switch (index % 5) {
    case 0:
      return { ...common, '@type': 'DataRegistration', data: output };
    case 1:
      return {
        ...common,
        '@type': 'MetadataRegistration',
        subject: output,
        metadata: artefact(`${run}metadata ${index}`),
      };
    case 2:
      return {
        ...common,
        '@type': 'StorageRegistration',
        data: output,
        storedOn: artefact('store'),
        operatedBy: did,
      };
    default:
      return {
        ...common,
        '@type': 'ComputationRegistration',
        computation: artefact('step'),
        input: [artefact(`${run}output ${index - 1}`), artefact(`${run}output ${index - 3}`)],
        output,
        operatedBy: did,
        executedOn: did,
      };
  }
}

/** A statement with a verifiable credential: nested, with several blank nodes and contexts. */
export function exampleCredential(index: number): Record<string, unknown> {
  return {
    '@context': ownContextUrl,
    '@type': 'CredentialRegistration',
    registeredBy: did,
    timestamp: time(index),
    credential: {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: `urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}`,
      type: ['VerifiableCredential'],
      issuer: did,
      validFrom: time(index),
      credentialSubject: { id: artefact(`subject ${index}`) },
    },
  };
}
