import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import {
  type IdentifyOptions,
  StatementIdentifier,
} from '../../src/domain/integrity/identification/identify.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';

export type Json = Readonly<Record<string, unknown>>;

/** The `urn:cid:` of a blob with this text. */
export const blobUrn = (text: string) => cidUrn(cidOf(codecs.raw, text));

export const did = 'did:key:z6Mkvt1grez4Avdvhqc196hTs6Lxb4qmu1NUdGk2An7QKqnT';
export const uuid = 'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427';

const envelope = {
  payloadType: 'application/vnd.in-toto+json',
  payload: 'dXJuOmNpZDphYmM=',
  signatures: [{ keyid: 'one', sig: 'c2lnbmF0dXJl' }],
};

const credential = {
  '@context': ['https://www.w3.org/ns/credentials/v2'],
  id: 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b11',
  type: ['VerifiableCredential'],
  issuer: did,
  validFrom: '2026-01-31T12:00:00Z',
  credentialSubject: { id: blobUrn('subject') },
};

/** Fields of one valid statement of each kind. */
const statementUrn = 'urn:cid:bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';

export const validFields: Readonly<Record<StatementKind, Json>> = {
  AssociationRegistration: { subject: blobUrn('a'), association: [blobUrn('b'), did], type: 'includes' },
  StorageRegistration: { data: blobUrn('a'), storedOn: blobUrn('b'), operatedBy: did },
  MetadataRegistration: { subject: did, metadata: blobUrn('a') },
  ComputationRegistration: {
    computation: blobUrn('c'),
    input: [blobUrn('a'), blobUrn('b')],
    output: blobUrn('d'),
    operatedBy: did,
    executedOn: did,
  },
  CredentialRegistration: { credential },
  DidRegistration: { did },
  DataRegistration: { data: [blobUrn('a'), blobUrn('b')] },
  EntityRegistration: { entity: uuid },
  RetractionRegistration: { subject: statementUrn, reason: 'It was wrong.' },
  GovernanceRegistration: { subject: blobUrn('a'), document: blobUrn('b') },
};

export const dsseFields: Json = { credentialDsse: envelope };
export const sigstoreFields: Json = { subject: blobUrn('a'), sigstoreBundle: 'e30=' };

/** A statement in the service's own context, with exactly these fields. */
export function ownStatement(kind: StatementKind, fields: Json = validFields[kind]): Json {
  return {
    '@context': ownContextUrl,
    '@type': kind,
    registeredBy: did,
    timestamp: '2026-01-31T12:00:00Z',
    ...fields,
  };
}

/** A valid statement of a kind, with some fields of its own. */
export function statement(kind: StatementKind, fields: Json = {}): Json {
  return ownStatement(kind, { ...validFields[kind], ...fields });
}

/** A statement about data. */
export function dataStatement(data: string | readonly string[]): Json {
  return ownStatement('DataRegistration', { data });
}

/** A small statement about a DID. */
export function didStatement(name: string | number) {
  return {
    '@context': ownContextUrl,
    '@type': 'DidRegistration',
    did: `did:example:${name}`,
    registeredBy: 'did:example:tester',
    timestamp: '2026-01-31T12:00:00Z',
  };
}

export function ndjson(statements: readonly unknown[]): string {
  return statements.map((statement) => `${JSON.stringify(statement)}\n`).join('');
}

export function didStatements(count: number, prefix = 'n'): ReturnType<typeof didStatement>[] {
  return Array.from({ length: count }, (_, at) => didStatement(`${prefix}${at}`));
}

/** A statement identifier with the bundled contexts and these. */
export function identifierWith(contexts: Readonly<Record<string, object>> = {}): StatementIdentifier {
  const world = ContextWorld.bundled();
  for (const [url, document] of Object.entries(contexts)) {
    world.add(contextDocument(url, JSON.stringify(document)));
  }
  return new StatementIdentifier(world);
}

export const identifyOptions: IdentifyOptions = {
  generateId: true,
  strict: true,
  reportCoverage: false,
  maxDepth: 64,
  workFactor: 3,
};

export function bytesOf(statement: unknown): Uint8Array {
  return Buffer.from(typeof statement === 'string' ? statement : JSON.stringify(statement));
}

/** The error that was thrown or rejected with. */
export async function thrownBy(work: () => unknown): Promise<unknown> {
  try {
    await work();
  } catch (error) {
    return error;
  }
  return undefined;
}
