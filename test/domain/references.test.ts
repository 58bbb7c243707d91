import { describe, expect, test } from 'vitest';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import { inRdf, referencesOf } from '../../src/domain/integrity/statements/references.ts';
import {
  blobUrn,
  did,
  type Json,
  ownStatement,
  sigstoreFields,
  uuid,
  validFields,
} from '../builders/statements.ts';

/** References of a statement as `role identifier`, without who registered it. */
function edges(kind: StatementKind | undefined, fields: Json): string[] {
  const statement = kind ? ownStatement(kind, fields) : fields;
  return referencesOf(statement, kind, () => true)
    .map(({ role, identifier }) => `${role} ${identifier}`)
    .filter((edge) => !edge.startsWith('registeredBy '));
}

const a = blobUrn('a');
const b = blobUrn('b');
const c = blobUrn('c');
const d = blobUrn('d');

describe('what each kind refers to', () => {
  test.each<[StatementKind, string[]]>([
    ['AssociationRegistration', [`subject ${a}`, `association ${b}`, `association ${did}`]],
    ['StorageRegistration', [`data ${a}`, `storedOn ${b}`, `operatedBy ${did}`]],
    ['MetadataRegistration', [`subject ${did}`, `metadata ${a}`]],
    [
      'ComputationRegistration',
      [
        `computation ${c}`,
        `input ${a}`,
        `input ${b}`,
        `output ${d}`,
        `operatedBy ${did}`,
        `executedOn ${did}`,
      ],
    ],
    [
      'CredentialRegistration',
      ['credential urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b11', `credentialSubject ${blobUrn('subject')}`],
    ],
    ['DidRegistration', [`did ${did}`]],
    ['DataRegistration', [`data ${a}`, `data ${b}`]],
    ['EntityRegistration', [`entity ${uuid}`]],
    ['GovernanceRegistration', [`subject ${a}`, `document ${b}`]],
  ])('%s', (kind, expected) => {
    expect(edges(kind, validFields[kind])).toEqual(expected);
  });

  test('and who registered it', () => {
    expect(referencesOf(ownStatement('DataRegistration', {}), 'DataRegistration', () => true)).toEqual([
      { identifier: did, role: 'registeredBy' },
    ]);
  });
});

describe('credentials', () => {
  const withPayload = (payload: unknown) =>
    edges('CredentialRegistration', {
      credentialDsse: { payloadType: 'text/plain', payload, signatures: [] },
    });

  test.each([
    ['base64', Buffer.from(a).toString('base64')],
    ['the URL alphabet', Buffer.from(a).toString('base64url')],
    ['with white space', Buffer.from(` ${a}\n`).toString('base64')],
  ])('the URN in a DSSE payload: %s', (_name, payload) => {
    expect(withPayload(payload)).toEqual([`payload ${a}`]);
  });

  test.each([
    ['JSON', Buffer.from(`{"id":"${a}"}`).toString('base64')],
    ['a broken CID', Buffer.from('urn:cid:x').toString('base64')],
    ['no base64', '!!!'],
    ['a number', 5],
    ['a large one', Buffer.from(`${a}${' '.repeat(10_000)}`).toString('base64')],
  ])('no URN in a DSSE payload: %s', (_name, payload) => {
    expect(withPayload(payload)).toEqual([]);
  });

  test('a Sigstore bundle names its subject', () => {
    expect(edges('CredentialRegistration', sigstoreFields)).toEqual([`subject ${a}`]);
  });

  test('several subjects, and URNs in the evidence', () => {
    const credential = {
      credentialSubject: [{ id: a }, { id: did }, 'text', null, {}],
      evidence: [{ type: 'Log', source: b }, { nested: [{ logs: [c, 'urn:cid:x'] }] }],
      relatedResource: d,
    };
    expect(edges('CredentialRegistration', { credential })).toEqual([
      `credentialSubject ${a}`,
      `credentialSubject ${did}`,
      `evidence ${b}`,
      `evidence ${c}`,
    ]);
  });
});

describe('malformed identifiers', () => {
  test('are silently skipped', () => {
    const data = ['urn:cid:data_cid', 'urn:uuid:x', 'word', '', null, 5, {}, [a], a.toUpperCase()];
    expect(edges('DataRegistration', { data })).toEqual([]);
  });

  test('are listed once, normalized', () => {
    const entity = [uuid, uuid.toUpperCase().replace('URN:UUID', 'urn:uuid'), uuid];
    expect(edges('EntityRegistration', { entity })).toEqual([`entity ${uuid}`]);
    expect(edges('AssociationRegistration', { subject: a, association: [a, a] })).toEqual([
      `subject ${a}`,
      `association ${a}`,
    ]);
  });
});

describe('foreign kinds', () => {
  test('refer to every CID in them, except contexts and themselves', () => {
    const statement = {
      '@context': [blobUrn('context'), { x: { '@context': blobUrn('other') } }],
      '@id': blobUrn('self'),
      '@type': 'Anything',
      parts: [a, { inner: b, '@id': c }],
      text: `see ${d}`,
      did,
    };
    expect(edges(undefined, statement)).toEqual([`parts ${a}`, `inner ${b}`, `@id ${c}`]);
  });
});

describe('content that the RDF of a statement lacks', () => {
  const nquads = [
    `_:c14n0 <https://eqtylab.io/terms/data> <${a}> .`,
    `_:c14n0 <https://example.org/other> <${b}> .`,
    `_:c14n0 <https://eqtylab.io/terms/registeredBy> "${did}" .`,
    '',
  ].join('\n');

  test('is not a reference, also under another term', () => {
    const statement = ownStatement('DataRegistration', { data: [a, b, c] });
    expect(referencesOf(statement, 'DataRegistration', inRdf(nquads))).toEqual([
      { identifier: did, role: 'registeredBy' },
      { identifier: a, role: 'data' },
    ]);
  });

  test('is not a reference of a foreign kind', () => {
    expect(
      referencesOf({ x: a, y: b, z: c }, undefined, inRdf(nquads)).map(({ identifier }) => identifier),
    ).toEqual([a, b]);
  });
});
