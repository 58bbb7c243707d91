import { describe, expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import {
  blobUrn,
  bytesOf,
  did,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
  statement,
  thrownBy,
  uuid,
} from '../builders/statements.ts';

const identifier = identifierWith();
const urn = blobUrn('a');
const bare = urn.slice('urn:cid:'.length);
const parserWords = /expected |received|undefined|Invalid input|JSON-LD drops/;

async function refusal(document: Json, changes = {}): Promise<ServiceError> {
  const error = await thrownBy(() =>
    identifier.identify(bytesOf(document), { ...identifyOptions, ...changes }),
  );
  expect(error).toBeInstanceOf(ServiceError);
  expect((error as ServiceError).message).not.toMatch(parserWords);
  return error as ServiceError;
}

describe('a bare CID is named, and the corrected value is shown', () => {
  test.each<[StatementKind, string, unknown, string]>([
    ['DataRegistration', 'data', bare, '/data'],
    ['ComputationRegistration', 'input', [urn, bare], '/input/1'],
    ['ComputationRegistration', 'output', bare, '/output'],
    ['ComputationRegistration', 'computation', bare, '/computation'],
    ['AssociationRegistration', 'subject', bare, '/subject'],
    ['AssociationRegistration', 'association', [bare], '/association/0'],
    ['StorageRegistration', 'storedOn', bare, '/storedOn'],
    ['MetadataRegistration', 'metadata', bare, '/metadata'],
    ['GovernanceRegistration', 'document', bare, '/document'],
  ])('%s %s', async (kind, member, value, pointer) => {
    for (const strict of [true, false]) {
      const { code, message, details } = await refusal(statement(kind, { [member]: value }), { strict });
      expect(code).toBe('not_covered');
      expect(details).toContainEqual({ pointer, reason: `is a bare CID. Write "${urn}"` });
      expect(message).toContain(`is a bare CID. Write "${urn}".`);
    }
  });

  test('a bare UUID likewise', async () => {
    const { details } = await refusal(statement('EntityRegistration', { entity: uuid.slice(9) }));
    expect(details).toEqual([{ pointer: '/entity', reason: `is a bare UUID. Write "${uuid}"` }]);
  });
});

describe('a wrong member is told with its form and an example', () => {
  test.each<[StatementKind, Json, string]>([
    ['DataRegistration', { registeredBy: 'me' }, 'registeredBy must be a DID, such as "did:key:z6Mk'],
    ['DidRegistration', { did: 5 }, 'did must be a DID, such as "did:key:z6Mk'],
    [
      'DataRegistration',
      { timestamp: 'today' },
      'timestamp must be a UTC time in whole seconds, such as "20',
    ],
    ['DataRegistration', { data: 'urn:cid:x' }, 'data must be "urn:cid:" and a CID'],
    ['DataRegistration', { data: [urn, 'urn:cid:x'] }, 'data[1] must be "urn:cid:" and a CID'],
    ['EntityRegistration', { entity: 'urn:uuid:x' }, 'entity must be "urn:uuid:" and a UUID'],
    [
      'AssociationRegistration',
      { type: 'Includes' },
      'type must be "certifies" or "includes" or "isInstanceOf"',
    ],
    ['ComputationRegistration', { executedOn: 5 }, 'executedOn must be a text'],
    ['DataRegistration', { data: [] }, 'data must have at least 1 item'],
    ['CredentialRegistration', { credential: 'x' }, 'credential must be an object'],
    [
      'CredentialRegistration',
      { credential: undefined, subject: urn, sigstoreBundle: '{}' },
      'sigstoreBundle must be base64',
    ],
  ])('%s %j', async (kind, fields, sentence) => {
    const { message } = await refusal(statement(kind, fields));
    expect(message).toContain(`This is not a valid ${kind}: `);
    expect(message).toContain(sentence);
  });

  test('a member that the kind does not have is told with those that it has', async () => {
    const { message, code } = await refusal(statement('DataRegistration', { inputs: urn }));
    expect(code).toBe('not_covered');
    expect(message).toContain(
      'inputs is not a member of DataRegistration, which has registeredBy, timestamp and data',
    );
  });
});

test('missing members are listed together, each with its form', async () => {
  const { code, message, details } = await refusal(ownStatement('ComputationRegistration', {}));
  expect(code).toBe('invalid_statement');
  expect(message).toMatch(
    /^This is not a valid ComputationRegistration: input, output and operatedBy are missing\. input must be "urn:cid:" and a CID, or a list of them, such as "urn:cid:bafk\w+"; output must be .*; operatedBy must be a DID, such as "did:key:\w+"\.$/,
  );
  expect(details?.map(({ pointer }) => pointer)).toEqual(['/input', '/output', '/operatedBy']);
  expect(details?.[2]?.reason).toMatch(/^is missing; it must be a DID, such as /);
});

test('the message of a long list of wrong values stays short', async () => {
  const data = Array.from({ length: 500 }, () => 'urn:cid:x');
  const { message } = await refusal(statement('DataRegistration', { data, registeredBy: did }));
  expect(message.length).toBeLessThan(2_000);
  expect(message).toContain('and 495 more');
});
