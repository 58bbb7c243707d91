import { credentialsV2 } from '../src/domain/integrity/contexts/credentials.ts';
import { governanceContextUrl, ownContextUrl } from '../src/domain/integrity/contexts/own.ts';
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
  return registration(index, unsigned(index));
}

/** A statement with a signed credential that can be revoked, as `issue_vc` and the credentials API make them. */
export function signedCredential(index: number): Record<string, unknown> {
  return registration(index, { ...unsigned(index), credentialStatus: entries(index), proof: proof(index) });
}

/** A statement with the certificate of a member of a project, as the governance API issues it. */
export function certificate(index: number): Record<string, unknown> {
  return registration(index, {
    ...unsigned(index),
    '@context': [credentialsV2, governanceContextUrl],
    type: ['VerifiableCredential', 'ProjectMembershipCredential'],
    validUntil: time(index + 1_000_000),
    credentialSubject: { id: did, project: uuid(index % 100), role: ['auditor', 'operator'] },
    credentialStatus: entries(index),
    proof: proof(index),
  });
}

/** A statement with a credential of another issuer: an inline context, lists of objects, numbers and booleans. */
export function measuredCredential(index: number): Record<string, unknown> {
  const terms = Object.fromEntries(
    ['metrics', 'score', 'samples', 'passed', 'Report'].map((term) => [
      term,
      `https://example.com/terms#${term}`,
    ]),
  );
  return registration(index, {
    ...unsigned(index),
    '@context': [credentialsV2, terms],
    issuer: { id: did, name: 'Laboratory' },
    credentialSubject: [
      {
        id: artefact(`subject ${index}`),
        metrics: ['accuracy', 'recall', 'bias'].map((name, at) => ({
          name,
          score: (index + at) / 7,
          samples: index * 10 + at,
          passed: true,
        })),
      },
    ],
    evidence: [
      { id: artefact(`evidence ${index}`), type: ['Report'], name: `Report ${index}` },
      { type: ['Report'], name: `Log ${index}`, description: 'made by the test bench' },
    ],
    proof: proof(index),
  });
}

function registration(index: number, credential: object): Record<string, unknown> {
  const type = 'CredentialRegistration';
  return { '@context': ownContextUrl, '@type': type, registeredBy: did, timestamp: time(index), credential };
}

function uuid(index: number): string {
  return `urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
}

function unsigned(index: number) {
  return {
    '@context': [credentialsV2],
    id: uuid(index),
    type: ['VerifiableCredential'],
    issuer: did,
    validFrom: time(index),
    credentialSubject: { id: artefact(`subject ${index}`) },
  };
}

function entries(index: number) {
  const list = 'https://cairn.example/credentials/v1/status-lists/1b4e28ba-2fa1-41d2-883f-0016d3cca427';
  return ['revocation', 'suspension'].map((statusPurpose) => ({
    id: `${list}#${index}-${statusPurpose}`,
    type: 'BitstringStatusListEntry',
    statusPurpose,
    statusListIndex: String(index),
    statusListCredential: list,
  }));
}

function proof(index: number) {
  return {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-rdfc-2022',
    created: time(index),
    verificationMethod: `${did}#${did.slice('did:key:'.length)}`,
    proofPurpose: 'assertionMethod',
    proofValue: `z${artefact(`proof ${index}`).slice('urn:cid:'.length)}`,
  };
}
