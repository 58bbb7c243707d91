import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { contextV1, contextV2, newCredential, oldCredential } from '../builders/credentials.ts';
import { send, useService } from './service.ts';

const service = useService({ CAIRN_PUBLIC_URL: 'https://cairn.example' });
const allocate = (credential: unknown) => send(service, 'POST', '/credentials/v1/allocate', credential);
const revoke = (id: string, body: unknown) =>
  send(service, 'POST', `/credentials/v1/revoke/${encodeURIComponent(id)}`, body);
const statusOf = (id: string) =>
  send(service, 'GET', `/credentials/v1/status?credential_id=${encodeURIComponent(id)}`);

async function allocated(more = {}) {
  const answer = await allocate(newCredential(more));
  expect(answer.status, answer.text).toBe(200);
  const [revocation, suspension] = answer.json.credentialStatus;
  return { credential: answer.json, id: String(answer.json.id), revocation, suspension };
}

describe('POST /credentials/v1/allocate', () => {
  test('adds a revocation and a suspension entry to a credential', async () => {
    const credential = newCredential();
    const { status, json } = await allocate(credential);
    expect(status).toBe(200);
    const entry = (statusPurpose: string) => ({
      id: expect.stringMatching(
        /^https:\/\/cairn\.example\/credentials\/v1\/status-lists\/[0-9a-f-]{36}#\d+$/,
      ),
      type: 'BitstringStatusListEntry',
      statusPurpose,
      statusListIndex: expect.stringMatching(/^\d+$/),
      statusListCredential: expect.stringMatching(/^https:\/\/cairn\.example\//),
    });
    expect(json).toEqual({ ...credential, credentialStatus: [entry('revocation'), entry('suspension')] });
  });

  test('gives a credential without an id a UUID', async () => {
    const { id: _, ...credential } = newCredential();
    const [one, other] = [await allocate(credential), await allocate(credential)];
    expect(one.json.id).toMatch(/^urn:uuid:[0-9a-f-]{36}$/);
    expect(other.json.id).not.toBe(one.json.id);
  });

  test('answers the same credential again with the same text, whatever the order of its members', async () => {
    const credential = newCredential();
    const first = await allocate(credential);
    const reversed = Object.fromEntries(Object.entries(credential).reverse());
    for (const again of [credential, reversed, first.json]) {
      const { status, text } = await allocate(again);
      expect([status, text]).toEqual([200, first.text]);
    }
  });

  test('gives parallel requests for one credential the same answer', async () => {
    const credential = newCredential();
    const answers = await Promise.all(Array.from({ length: 8 }, () => allocate(credential)));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
  });

  test('answers 409 for other content with the same id', async () => {
    const credential = newCredential();
    await allocate(credential);
    const { status, json } = await allocate({ ...credential, validFrom: '2026-02-01T00:00:00Z' });
    expect([status, json.code]).toEqual([409, 'conflict']);
    const upper = { ...credential, id: credential.id.toUpperCase().replace('URN:UUID:', 'urn:uuid:') };
    expect((await allocate(upper)).status).toBe(409);
  });

  test('accepts credentials of version 1.1, and adds the context of the entries', async () => {
    const { status, json, text } = await allocate(oldCredential());
    expect(status, text).toBe(200);
    expect(json['@context']).toEqual([contextV1, 'https://www.w3.org/ns/credentials/status/v1']);
    const again = oldCredential({ '@context': json['@context'] });
    expect((await allocate(again)).json['@context']).toEqual(json['@context']);
  });

  test('keeps status entries of other lists', async () => {
    const foreign = {
      type: 'BitstringStatusListEntry',
      statusPurpose: 'revocation',
      statusListIndex: '5',
      statusListCredential: 'https://elsewhere.example/list',
    };
    const { json } = await allocate(newCredential({ credentialStatus: foreign }));
    expect(json.credentialStatus).toHaveLength(3);
    expect(json.credentialStatus[0]).toEqual(foreign);
  });

  test('accepts terms of further contexts, and inline ones', async () => {
    const contexts = [contextV2, { degree: 'https://example.org/degree' }];
    const { status, text } = await allocate(
      newCredential({ '@context': contexts, credentialSubject: { degree: 'Bachelor' } }),
    );
    expect(status, text).toBe(200);
  });

  test('answers 400 for a credential with a proof', async () => {
    const { status, json } = await allocate(newCredential({ proof: { type: 'DataIntegrityProof' } }));
    expect([status, json.code, json.details[0].pointer]).toEqual([400, 'invalid_credential', '/proof']);
  });

  const broken: readonly [string, Record<string, unknown>, string][] = [
    ['no context', { '@context': undefined }, '/@context'],
    ['a context that is a text', { '@context': contextV2 }, '/@context'],
    ['another context first', { '@context': ['https://w3id.org/security/v2', contextV2] }, '/@context/0'],
    ['10,000 contexts', { '@context': Array(10_000).fill(contextV2) }, '/@context'],
    ['an unknown context', { '@context': [contextV2, 'https://unknown.example/v1'] }, '/@context'],
    ['a number as a context', { '@context': [contextV2, 5] }, '/@context/1'],
    ['a redefined term', { '@context': [contextV2, { VerifiableCredential: 'https://example.org/x' }] }, ''],
    ['an id that is no URL', { id: 'not a url' }, '/id'],
    ['an id that is no text', { id: 5 }, '/id'],
    ['a wrong UUID', { id: 'urn:uuid:1234' }, '/id'],
    ['@id instead of id', { '@id': 'urn:x:y' }, '/@id'],
    ['no type', { type: undefined }, '/type'],
    ['another type only', { type: ['Person'] }, '/type'],
    ['a type without a term', { type: ['VerifiableCredential', 'Invented'] }, '/type/1'],
    ['no issuer', { issuer: undefined }, '/issuer'],
    ['an issuer without a URL', { issuer: 'somebody' }, '/issuer'],
    ['an issuer object without id', { issuer: { name: 'x' } }, '/issuer/id'],
    ['no subject', { credentialSubject: undefined }, '/credentialSubject'],
    ['an empty subject', { credentialSubject: {} }, '/credentialSubject'],
    ['no subject in the list', { credentialSubject: [] }, '/credentialSubject'],
    ['a subject that is a text', { credentialSubject: ['x'] }, '/credentialSubject/0'],
    ['a subject whose id is no URL', { credentialSubject: { id: '5' } }, '/credentialSubject/id'],
    [
      'a term that JSON-LD drops',
      { credentialSubject: { id: 'urn:x:y', invented: 1 } },
      '/credentialSubject/invented',
    ],
    ['a member without a term', { invented: 'x' }, '/invented'],
    ['a date without a time zone', { validFrom: '2026-01-01T00:00:00' }, '/validFrom'],
    ['a malformed date', { validUntil: 'tomorrow' }, '/validUntil'],
    ['an impossible day', { validFrom: '2026-02-30T00:00:00Z' }, '/validFrom'],
    ['validUntil before validFrom', { validUntil: '2025-01-01T00:00:00Z' }, '/validUntil'],
    ['a date of version 1.1', { issuanceDate: '2026-01-01T00:00:00Z' }, '/issuanceDate'],
    ['a status without type', { credentialStatus: { id: 'urn:x:y' } }, '/credentialStatus/type'],
    ['a schema without id', { credentialSchema: { type: 'JsonSchema' } }, '/credentialSchema/id'],
    ['evidence without type', { evidence: [{ id: 'urn:x:y' }] }, '/evidence/0/type'],
    ['terms of use without type', { termsOfUse: { id: 'urn:x:y' } }, '/termsOfUse/type'],
    ['a refresh service without type', { refreshService: { id: 'urn:x:y' } }, '/refreshService/type'],
    ['a related resource without id', { relatedResource: { mediaType: 'x' } }, '/relatedResource/id'],
  ];

  test.each([
    { issuer: undefined },
    { issuer: { name: 'x' } },
    { evidence: { type: 'x' }, credentialSchema: { type: 'x' } },
  ])('says which URL is missing in %j', async (more) => {
    const { json } = await allocate(newCredential(more));
    expect(json.error).toMatch(/: is missing\. (Name the|Write an absolute) URL/);
  });

  test.each(broken)('answers 400 for %s, with its place', async (_, more, pointer) => {
    const { status, json } = await allocate(newCredential(more));
    expect([status, json.code]).toEqual([400, 'invalid_credential']);
    const places = json.details.map((detail: { pointer: string }) => detail.pointer);
    expect(places).toContain(pointer);
  });

  test('lists all problems at once', async () => {
    const { json } = await allocate({
      '@context': [contextV2],
      type: 'Person',
      id: 'x',
      validFrom: 'y',
      invented: 1,
    });
    const places = json.details.map((detail: { pointer: string }) => detail.pointer);
    expect(places).toEqual(
      expect.arrayContaining(['/type', '/id', '/validFrom', '/issuer', '/credentialSubject', '/invented']),
    );
    expect(json.error).toMatch(
      /^This is not a valid credential\. \/type: must include VerifiableCredential; /,
    );
  });

  test.each([
    [
      'a schema without id',
      { credentialSchema: { type: 'JsonSchemaValidator2018' } },
      '/credentialSchema/id',
    ],
    ['a status without id', { credentialStatus: { type: 'StatusList2021Entry' } }, '/credentialStatus/id'],
    ['no issuanceDate', { issuanceDate: undefined }, '/issuanceDate'],
    ['expirationDate before issuanceDate', { expirationDate: '2025-01-01T00:00:00Z' }, '/expirationDate'],
  ])('answers 400 for %s in version 1.1', async (_, more, pointer) => {
    const { status, json } = await allocate(oldCredential(more));
    expect(status).toBe(400);
    expect(json.details.map((detail: { pointer: string }) => detail.pointer)).toContain(pointer);
  });

  test('answers 413 above 1 MiB, and 400 for anything but an object', async () => {
    const large = newCredential({ credentialSubject: { id: `urn:x:${'y'.repeat(1 << 20)}` } });
    expect((await allocate(large)).status).toBe(413);
    expect((await allocate([])).status).toBe(400);
    expect((await allocate('{')).status).toBe(400);
    expect((await allocate('{"id":"urn:x:1","id":"urn:x:2"}')).status).toBe(400);
  });
});

describe('POST /credentials/v1/revoke/{credentialId}', () => {
  test('revokes a credential for good, and answers the same again', async () => {
    const { credential, id, revocation } = await allocated();
    for (let times = 0; times < 2; times += 1) {
      const { status, json } = await revoke(id, { credentialStatus: revocation });
      expect([status, json]).toEqual([200, credential]);
      expect((await statusOf(id)).json).toMatchObject({ revoked: true, suspended: false });
    }
    const lifted = await revoke(id, { credentialStatus: revocation, status: false });
    expect([lifted.status, lifted.json.code]).toEqual([409, 'conflict']);
    expect((await statusOf(id)).json.revoked).toBe(true);
  });

  test('suspends a credential, and lifts the suspension', async () => {
    const { id, suspension } = await allocated();
    const { statusListCredential, statusListIndex } = suspension;
    const entry = { statusListCredential, statusListIndex };
    expect((await revoke(id, { credentialStatus: entry })).status).toBe(200);
    expect((await statusOf(id)).json).toMatchObject({ revoked: false, suspended: true });
    expect((await revoke(id, { credentialStatus: entry, status: false })).status).toBe(200);
    expect((await statusOf(id)).json.suspended).toBe(false);
    expect((await revoke(id, { credentialStatus: { ...entry, status: true } })).status).toBe(200);
    expect((await revoke(id, { credentialStatus: { ...entry, status: false } })).status).toBe(200);
    expect((await statusOf(id)).json.suspended).toBe(false);
  });

  test('takes a bare UUID, urn:uuid: and any percent-encoded URI', async () => {
    const uuid = randomUUID();
    const ids: readonly [string, string[]][] = [
      [`urn:uuid:${uuid}`, [uuid, uuid.toUpperCase(), `urn:uuid:${uuid}`, `urn:uuid:${uuid.toUpperCase()}`]],
      [`https://example.org/a b/${uuid}?x=%2F&y=1#z`.replace(' ', '%20'), []],
      [`did:example:${uuid}`, []],
    ];
    for (const [id, forms] of ids) {
      const { revocation } = await allocated({ id });
      for (const form of [...forms, id]) {
        const { status, json, text } = await revoke(form, { credentialStatus: revocation });
        expect([status, json?.id], `${form}: ${text}`).toEqual([200, id]);
      }
    }
  });

  test('answers 404 for an unknown credential', async () => {
    const { revocation } = await allocated();
    expect((await revoke(randomUUID(), { credentialStatus: revocation })).status).toBe(404);
  });

  test('answers 400 for a missing field, and for an entry that is not of this credential', async () => {
    const [{ id, revocation, suspension }, other] = [await allocated(), await allocated()];
    const bodies = [
      {},
      { credentialStatus: {} },
      { credentialStatus: { statusListCredential: revocation.statusListCredential } },
      { credentialStatus: { statusListIndex: revocation.statusListIndex } },
      { credentialStatus: { ...revocation, statusListIndex: Number(revocation.statusListIndex) } },
      { credentialStatus: other.revocation },
      {
        credentialStatus: {
          ...other.revocation,
          statusListCredential: suspension.statusListCredential,
        },
      },
      { credentialStatus: { ...revocation, statusListIndex: '999999' } },
      { credentialStatus: { ...revocation, statusListIndex: '-1' } },
      {
        credentialStatus: {
          ...revocation,
          statusListCredential: revocation.statusListCredential.replace('cairn.example', 'evil.example'),
        },
      },
      { credentialStatus: { ...suspension, status: true }, status: false },
      { credentialStatus: suspension, statsu: false },
    ];
    for (const body of bodies) expect((await revoke(id, body)).status, JSON.stringify(body)).toBe(400);
    expect((await statusOf(id)).json).toMatchObject({ revoked: false, suspended: false });
  });
});

describe('GET /credentials/v1/status', () => {
  test('finds a credential by its id and by each of its entries', async () => {
    const { id, revocation, suspension } = await allocated();
    await revoke(id, { credentialStatus: suspension });
    const byId = await statusOf(id.replace('urn:uuid:', ''));
    const shown = ({ statusPurpose, statusListCredential, statusListIndex }: typeof revocation) => ({
      statusPurpose,
      statusListCredential,
      statusListIndex,
    });
    expect(byId.json).toEqual({
      credential_id: id,
      revoked: false,
      suspended: true,
      entries: [
        { ...shown(revocation), status: false },
        { ...shown(suspension), status: true },
      ],
    });
    for (const { statusListCredential: list, statusListIndex: index } of [revocation, suspension]) {
      const query = new URLSearchParams({ status_list_credential: list, status_list_index: index });
      expect((await send(service, 'GET', `/credentials/v1/status?${query}`)).json).toEqual(byId.json);
    }
  });

  test('answers 404 for what it does not know, and 400 without a question', async () => {
    expect((await statusOf('urn:x:unknown')).status).toBe(404);
    const list = `https://cairn.example/credentials/v1/status-lists/${randomUUID()}`;
    const entry = `status_list_credential=${encodeURIComponent(list)}&status_list_index=5`;
    expect((await send(service, 'GET', `/credentials/v1/status?${entry}`)).status).toBe(404);
    expect((await send(service, 'GET', '/credentials/v1/status')).status).toBe(400);
    expect((await send(service, 'GET', `/credentials/v1/status?${entry}&credential_id=x`)).status).toBe(400);
  });
});
