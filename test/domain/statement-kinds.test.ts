import { describe, expect, test } from 'vitest';
import { filled } from '../../src/contract/words/kinds.ts';
import {
  isStatementKind,
  type StatementKind,
  statementKindNames,
  statementKinds,
} from '../../src/domain/integrity/kinds/registry.ts';
import {
  blobUrn,
  bytesOf,
  did,
  dsseFields,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
  sigstoreFields,
  uuid,
  validFields,
} from '../builders/statements.ts';

const kinds = statementKindNames;
const identifier = identifierWith();

function problemsOf(kind: StatementKind, statement: Json): string[] {
  const { error } = statementKinds[kind].shape.safeParse(statement);
  return (error?.issues ?? []).map(({ path }) => `/${path.join('/')}`);
}

const without = (fields: Json, name: string) =>
  Object.fromEntries(Object.entries(fields).filter(([key]) => key !== name));

describe('valid statements', () => {
  const { credential } = validFields.CredentialRegistration;
  const valid: [string, StatementKind, Json][] = [
    ...kinds.map((kind): [string, StatementKind, Json] => [kind, kind, validFields[kind]]),
    ['one value', 'DataRegistration', { data: blobUrn('a') }],
    ['a list of one', 'DataRegistration', { data: [blobUrn('a')] }],
    [
      'several entities',
      'EntityRegistration',
      { entity: [uuid, uuid.toUpperCase().replace('URN:UUID', 'urn:uuid')] },
    ],
    ['a DSSE envelope', 'CredentialRegistration', dsseFields],
    ['a Sigstore bundle', 'CredentialRegistration', sigstoreFields],
    [
      'an association without a type',
      'AssociationRegistration',
      without(validFields.AssociationRegistration, 'type'),
    ],
    ['an association that is a text', 'AssociationRegistration', { subject: did, association: did }],
    [
      'storage without an operator',
      'StorageRegistration',
      without(validFields.StorageRegistration, 'operatedBy'),
    ],
    [
      'a computation of inputs and outputs',
      'ComputationRegistration',
      { input: blobUrn('a'), output: blobUrn('b'), operatedBy: did },
    ],
    ['metadata of a URN', 'MetadataRegistration', { subject: 'urn:isbn:0451450523', metadata: blobUrn('a') }],
    [
      'a credential with other members',
      'CredentialRegistration',
      { credential: { ...(credential as Json), name: 'x' } },
    ],
  ];

  test.each(valid)('%s', async (_name, kind, fields) => {
    const statement = ownStatement(kind, fields);
    expect(problemsOf(kind, statement)).toEqual([]);
    const identified = await identifier.identify(bytesOf(statement), identifyOptions);
    expect(identified).toMatchObject({ kind, isCovered: true });
  });
});

describe('every required field of a kind is required', () => {
  const optional = new Set(['type', 'computation', 'executedOn', 'reason']);
  const cases = kinds.flatMap((kind) =>
    ['registeredBy', 'timestamp', ...Object.keys(validFields[kind])]
      .filter((name) => !optional.has(name) && !(kind === 'StorageRegistration' && name === 'operatedBy'))
      .map((name) => [kind, name] as const),
  );

  test.each(cases)('%s without %s', (kind, name) => {
    const problems = problemsOf(kind, without(ownStatement(kind), name));
    expect(problems).toEqual([kind === 'CredentialRegistration' && name === 'credential' ? '/' : `/${name}`]);
  });

  test.each(kinds)('%s under another @type', (kind) => {
    expect(problemsOf(kind, { ...ownStatement(kind), '@type': 'Other' })).toEqual(['/@type']);
    expect(problemsOf(kind, { ...ownStatement(kind), '@type': [kind] })).toEqual(['/@type']);
  });
});

describe('invalid statements', () => {
  const { credential } = validFields.CredentialRegistration;

  test.each<[string, StatementKind, Json, string[]]>([
    ['an empty list of data', 'DataRegistration', { data: [] }, ['/data']],
    ['data that is no CID', 'DataRegistration', { data: 'urn:cid:data_cid' }, ['/data']],
    ['one of several that is no CID', 'DataRegistration', { data: [blobUrn('a'), 'x'] }, ['/data/1']],
    ['a bare CID', 'DataRegistration', { data: blobUrn('a').slice('urn:cid:'.length) }, ['/data']],
    ['an upper-case CID', 'DataRegistration', { data: blobUrn('a').toUpperCase() }, ['/data']],
    ['data that is null', 'DataRegistration', { data: null }, ['/data']],
    ['an entity that is no UUID', 'EntityRegistration', { entity: 'urn:uuid:entity_uuid' }, ['/entity']],
    ['an entity that is a CID', 'EntityRegistration', { entity: blobUrn('a') }, ['/entity']],
    [
      'an empty list of inputs',
      'ComputationRegistration',
      { ...validFields.ComputationRegistration, input: [] },
      ['/input'],
    ],
    [
      'a computation that is a list',
      'ComputationRegistration',
      { ...validFields.ComputationRegistration, computation: [] },
      ['/computation'],
    ],
    [
      'a type of association that is none',
      'AssociationRegistration',
      { ...validFields.AssociationRegistration, type: 'Includes' },
      ['/type'],
    ],
    [
      'an association with nothing',
      'AssociationRegistration',
      { ...validFields.AssociationRegistration, association: [] },
      ['/association'],
    ],
    [
      'an association with a word',
      'AssociationRegistration',
      { ...validFields.AssociationRegistration, association: 'x' },
      ['/association'],
    ],
    [
      'an association with a broken CID',
      'AssociationRegistration',
      { subject: 'urn:cid:x', association: did },
      ['/subject'],
    ],
    [
      'data in several stores',
      'StorageRegistration',
      { data: blobUrn('a'), storedOn: [blobUrn('b')] },
      ['/storedOn'],
    ],
    ['a did that is none', 'DidRegistration', { did: 'z6Mk' }, ['/did']],
    [
      'several documents',
      'GovernanceRegistration',
      { subject: did, document: [blobUrn('a')] },
      ['/document'],
    ],
    ['no credential', 'CredentialRegistration', {}, ['/']],
    ['two credentials', 'CredentialRegistration', { credential, ...dsseFields }, ['/']],
    ['a bundle without its subject', 'CredentialRegistration', { sigstoreBundle: 'e30=' }, ['/subject']],
    ['a subject without its bundle', 'CredentialRegistration', { credential, subject: did }, ['/subject']],
    [
      'a bundle that is no base64',
      'CredentialRegistration',
      { ...sigstoreFields, sigstoreBundle: '{}' },
      ['/sigstoreBundle'],
    ],
    ['a credential that is a text', 'CredentialRegistration', { credential: 'urn:cid:x' }, ['/credential']],
    [
      'an envelope without signatures',
      'CredentialRegistration',
      { credentialDsse: { ...(dsseFields.credentialDsse as Json), signatures: [] } },
      ['/credentialDsse/signatures'],
    ],
  ])('%s', (_name, kind, fields, problems) => {
    expect(problemsOf(kind, ownStatement(kind, fields))).toEqual(problems);
  });

  test.each([
    '2026-01-31T12:00:00',
    '2026-01-31T12:00:00.000Z',
    '2026-01-31T12:00:00+00:00',
    '2026-01-31 12:00:00Z',
    '2026-01-31t12:00:00z',
    '2026-02-29T12:00:00Z',
    '2026-13-01T12:00:00Z',
    '2026-01-31T24:00:00Z',
    '2026-01-31T12:60:00Z',
    '2026-01-31T12:00:60Z',
    '2026-01-31T12:00:00Z\n',
    '+002026-01-31T12:00:00Z',
    '',
    1_769_860_800,
  ])('the time %j', (timestamp) => {
    expect(problemsOf('DidRegistration', { ...ownStatement('DidRegistration'), timestamp })).toEqual([
      '/timestamp',
    ]);
  });

  test.each(['2024-02-29T23:59:59Z', '1970-01-01T00:00:00Z', '0001-01-01T00:00:00Z'])(
    'the time %s is fine',
    (timestamp) => {
      expect(problemsOf('DidRegistration', { ...ownStatement('DidRegistration'), timestamp })).toEqual([]);
    },
  );
});

test('names that objects inherit are not kinds', () => {
  expect(['toString', '__proto__', 'constructor', '', undefined, null, 1].filter(isStatementKind)).toEqual(
    [],
  );
  expect(kinds.every(isStatementKind)).toBe(true);
  expect(kinds).toHaveLength(10);
});

describe('the sentences of each kind', () => {
  /** What pages and reports fill in themselves. */
  const madeUp = ['doer', 'issuer', 'signature', 'vouching', 'credentialSubject', 'payload'];

  test.each(kinds)('name only references of %s', (kind) => {
    const { says, reads = '', references, lineage } = statementKinds[kind];
    const known = [...references, 'registeredBy', ...lineage.facts, ...madeUp];
    const named = filled(says + reads, (name) => name.split('|')).filter((part) => Array.isArray(part));
    expect(known).toEqual(expect.arrayContaining(named.flat()));
    expect(named.length).toBeGreaterThan(0);
  });
});
