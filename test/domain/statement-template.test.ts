import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { StatementTemplates } from '../../src/domain/integrity/identification/statement-template.ts';
import { blobUrn, did, type Json } from '../builders/statements.ts';
import { compare, limits, reference, sightings } from './template-comparison.ts';

describe('statements without a template', () => {
  const templates = new StatementTemplates(ContextWorld.bundled());
  const statement = { '@context': ownContextUrl, '@type': 'DataRegistration', data: 'urn:x:y' };
  const nested = (depth: number): Json => (depth === 0 ? {} : { registeredBy: nested(depth - 1) });

  test.each<[string, Json]>([
    ['a keyword that produces no RDF', { ...statement, '@index': 'x' }],
    ['an @type that is an object', { ...statement, '@type': {} }],
    ['no context', { data: 'urn:x:y' }],
    ['a member named __proto__', JSON.parse('{"@context":"x","__proto__":"y"}')],
    ['many values', { ...statement, data: Array.from({ length: 500 }, (_, at) => at) }],
    ['deep objects', { ...statement, ...nested(20) }],
  ])('%s is left to jsonld', async (_name, document) => {
    for (let round = 0; round < sightings; round += 1)
      expect(await templates.apply(document, limits)).toBeUndefined();
  });

  test('a shape is not learned before it comes again', async () => {
    expect(await templates.apply(statement, limits)).toBeUndefined();
    expect(await templates.apply({ ...statement, data: 'urn:x:z' }, limits)).toMatchObject({
      complete: true,
    });
  });
});

describe('statements with a template', () => {
  const uuid = 'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca42';
  const list = 'https://cairn.example/credentials/v1/status-lists/1';
  const credential = (number: number, more: Json = {}): Json => ({
    '@context': ownContextUrl,
    '@type': 'CredentialRegistration',
    credential: {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: uuid + number,
      type: ['VerifiableCredential'],
      issuer: did,
      credentialSubject: { id: blobUrn(String(number)) },
      proof: {
        type: 'DataIntegrityProof',
        cryptosuite: 'eddsa-rdfc-2022',
        created: `2026-01-31T12:00:0${number}Z`,
        verificationMethod: `${did}#key`,
        proofPurpose: 'assertionMethod',
        proofValue: `z${number}`,
      },
      ...more,
    },
  });
  const status = (number: number) =>
    ['revocation', 'suspension'].map((statusPurpose) => ({
      id: `${list}#${statusPurpose}-${number}`,
      type: 'BitstringStatusListEntry',
      statusPurpose,
      statusListIndex: String(number),
      statusListCredential: list,
    }));
  const data = { '@context': ownContextUrl, '@type': 'DataRegistration' };
  const inline = { '@version': 1.1, score: 'https://example.com/score', tags: 'https://example.com/tags' };

  test.each<[string, (number: number) => Json]>([
    ['strings and lists', (number) => ({ ...data, data: [`urn:x:${number}`, 'urn:x:y'] })],
    ['a signed credential', credential],
    ['status entries', (number) => credential(number, { credentialStatus: status(number) })],
    [
      'status entries without ids',
      (number) => credential(number, { credentialStatus: status(number).map(({ id: _, ...one }) => one) }),
    ],
    [
      'several subjects and evidence',
      (number) =>
        credential(number, {
          credentialSubject: [
            { id: uuid + number },
            { id: did, name: { '@value': `a ${number}`, '@language': 'en' } },
          ],
          evidence: [
            { id: blobUrn(`e${number}`), type: 'Evidence' },
            { type: ['Evidence'], name: `b ${number}` },
          ],
        }),
    ],
    [
      'an issuer that is an object',
      (number) => credential(number, { issuer: { id: did, name: `n ${number}` } }),
    ],
    [
      'an inline context, numbers, booleans and null',
      (number) => ({
        ...data,
        '@context': [ownContextUrl, inline],
        score: [number, number + 0.5, -number, true, null],
        tags: [{ score: number }, { score: number + 0.25 }, `tag ${number}`, []],
      }),
    ],
    [
      'blank nodes that have others in the same member',
      (number) => ({
        ...data,
        '@context': [ownContextUrl, inline],
        tags: [{ score: number, tags: [{ score: 1 }, { score: -number }] }, { score: number + 0.5 }],
      }),
    ],
    [
      'a DSSE envelope',
      (number) => ({
        '@context': ownContextUrl,
        '@type': 'CredentialRegistration',
        credentialDsse: {
          payloadType: 'text/plain',
          payload: btoa(`payload ${number}`),
          signatures: [{ keyid: did, sig: btoa(`${number}`) }, { sig: btoa(`other ${number}`) }],
        },
      }),
    ],
  ])('have one for %s', async (_name, statement) => {
    const world = ContextWorld.bundled();
    const templates = new StatementTemplates(world);
    expect(await compare(templates, world, statement(1))).toBe(true);
    for (const number of [2, 3, 4, 5, 6])
      expect(await templates.apply(statement(number), limits)).toMatchObject({
        nquads: (await reference(statement(number), world)).nquads,
      });
  });
});
