import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { governanceContextUrl } from '../../../src/domain/integrity/contexts/own.ts';
import { ContextWorld } from '../../../src/domain/integrity/contexts/world.ts';
import { uncoveredPlaces } from '../../../src/domain/integrity/identification/coverage.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { send, useService } from '../service.ts';
import { blobText, expectRefusal, newPolicy, newSubject, post, posted } from './governance.ts';

const service = useService();
const member = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const unknown = cidOf(codecs.jcs, 'unknown').text;
const year = 365 * 24 * 3_600_000;
const soon = new Date(Date.now() + year).toISOString();

interface Certificate {
  readonly credentialId: string;
  readonly sourceCid: string;
}

async function join(project: string, more: object = {}): Promise<Certificate> {
  const body = { subjectDid: member, expiryDate: soon, ...more };
  return (await posted(service, `identity/membership/${project}`, body)).credential;
}

async function newCompliance() {
  const [subject, project] = [await newSubject(service), randomUUID()];
  const { policyCid } = await newPolicy(service);
  return { subject, project, body: { subjectCid: subject, policyCid, expiryDate: soon } };
}

async function certify({ project, body }: { project: string; body: object }): Promise<Certificate> {
  return (await posted(service, `policy/compliance/${project}`, body)).credential;
}

async function credentialAt({ sourceCid }: Certificate) {
  return JSON.parse(await blobText(service, sourceCid));
}

async function setStatus(certificate: Certificate, purpose: string, status?: boolean): Promise<void> {
  const { id, credentialStatus } = await credentialAt(certificate);
  const entry = credentialStatus.find((one: { statusPurpose: string }) => one.statusPurpose === purpose);
  const body = { credentialStatus: entry, ...(status !== undefined && { status }) };
  const answer = await send(service, 'POST', `/credentials/v1/revoke/${encodeURIComponent(id)}`, body);
  expect(answer.status, answer.text).toBe(200);
}

async function standingsAt(subject: string, project: string): Promise<string[]> {
  const { json } = await send(service, 'GET', `/gov/v1/status/${subject}/${project}`);
  return json.certificates.map(({ standing }: { standing: string }) => standing);
}

describe('POST /gov/v1/identity/membership', () => {
  test('issues a signed credential with status entries, and registers it in the graph', async () => {
    const project = randomUUID();
    const certificate = await join(project, { role: ['reviewer', 'author'] });
    const credential = await credentialAt(certificate);
    expect(credential).toMatchObject({
      '@context': ['https://www.w3.org/ns/credentials/v2', governanceContextUrl],
      id: certificate.credentialId,
      type: ['VerifiableCredential', 'ProjectMembershipCredential'],
      issuer: expect.stringMatching(/^did:key:z6Mk/),
      validUntil: `${soon.slice(0, 19)}Z`,
      credentialSubject: { id: member, project: `urn:uuid:${project}`, role: ['author', 'reviewer'] },
      credentialStatus: [{ statusPurpose: 'revocation' }, { statusPurpose: 'suspension' }],
      proof: { type: 'DataIntegrityProof' },
    });
    const { statements } = (await send(service, 'GET', `/statements/v1?graph_id=${project}`)).json;
    expect(statements.map((one: { statement: object }) => one.statement)).toMatchObject([
      {
        '@type': 'GovernanceRegistration',
        subject: member,
        document: `urn:cid:${certificate.sourceCid}`,
        registeredBy: credential.issuer,
        timestamp: credential.validFrom,
      },
    ]);
    const { json } = await send(service, 'POST', '/credentials/v1/verify', { credential });
    expect(json, JSON.stringify(json)).toMatchObject({ verified: true });
  });

  test('signs every member of the credential', async () => {
    const world = ContextWorld.bundled();
    const { proof, ...credential } = await credentialAt(await join(randomUUID(), { role: ['a'] }));
    expect(proof).toBeDefined();
    expect(await uncoveredPlaces(credential, world)).toEqual([]);
    const { proof: _, ...certificate } = await credentialAt(await certify(await newCompliance()));
    expect(await uncoveredPlaces(certificate, world)).toEqual([]);
    const context = await blobText(service, governanceContextUrl);
    expect(JSON.parse(context)['@context']).toHaveProperty('role');
  });

  test('issues what the service itself accepts as a credential', async () => {
    const { proof, credentialStatus, id, ...credential } = await credentialAt(await join(randomUUID()));
    const answer = await send(service, 'POST', '/credentials/v1/allocate', credential);
    expect(answer.status, answer.text).toBe(200);
  });

  test('gives the same request the same credential, also at the same time', async () => {
    const project = randomUUID();
    const all = await Promise.all(Array.from({ length: 8 }, () => join(project, { role: ['a', 'b'] })));
    const [first] = all;
    expect(all).toEqual(all.map(() => first));
    expect(await join(project, { role: ['b', 'a', 'b'] })).toEqual(first);
    for (const more of [
      { role: ['a'] },
      { role: null },
      { expiryDate: '2999-01-01' },
      { subjectDid: 'did:web:a.example' },
    ])
      expect((await join(project, more)).credentialId).not.toBe(first?.credentialId);
    const { statements } = (await send(service, 'GET', `/statements/v1?graph_id=${project}`)).json;
    expect(statements).toHaveLength(5);
  });

  test('issues a new credential after a revocation, and none during a suspension', async () => {
    const project = randomUUID();
    const first = await join(project);
    await setStatus(first, 'suspension');
    expect(await standingsAt(member, project)).toEqual(['suspended']);
    expect(await join(project)).toEqual(first);
    await setStatus(first, 'revocation');
    const second = await join(project);
    expect(second.credentialId).not.toBe(first.credentialId);
    expect(await join(project)).toEqual(second);
    expect(await standingsAt(member, project)).toEqual(['revoked', 'valid']);
  });

  test('takes a date as its end in UTC', async () => {
    const day = soon.slice(0, 10);
    const { validUntil } = await credentialAt(await join(randomUUID(), { expiryDate: day }));
    expect(validUntil).toBe(`${day}T23:59:59Z`);
    const today = new Date().toISOString().slice(0, 10);
    expect((await credentialAt(await join(randomUUID(), { expiryDate: today }))).validUntil).toContain(today);
  });

  test.each([
    ['a date in the past', { expiryDate: '2020-01-01' }, 'in the past'],
    ['a time in the past', { expiryDate: '2020-01-01T00:00:00+01:00' }, 'in the past'],
    ['a day that does not exist', { expiryDate: '2999-02-30' }, 'expiryDate "2999-02-30" is not'],
    ['another form of date', { expiryDate: 'next year' }, 'expiryDate "next year" is not'],
    ['no expiry', { expiryDate: null }, 'expiryDate'],
    ['a name as member', { subjectDid: 'ada' }, 'subjectDid "ada" is not a DID'],
    ['a CID as member', { subjectDid: `urn:cid:${unknown}` }, 'is not a DID'],
    ['the URL of a key as member', { subjectDid: `${member}#key` }, 'is not a DID'],
    ['a malformed did:key as member', { subjectDid: 'did:key:z6Mk' }, 'did:key'],
    ['a text as roles', { role: 'author' }, '/role'],
    ['an empty role', { role: [''] }, '/role/0'],
    ['an unknown member', { roles: [] }, 'roles'],
  ])('refuses %s', async (_name, more, words) => {
    const project = randomUUID();
    const answer = await post(service, `identity/membership/${project}`, {
      subjectDid: member,
      expiryDate: soon,
      ...more,
    });
    expectRefusal(answer, 400, words);
    expect((await send(service, 'GET', `/graph/v1/${project}`)).status).toBe(404);
  });

  test('refuses a project that is no UUID', async () => {
    const body = { subjectDid: member, expiryDate: soon };
    expectRefusal(await post(service, 'identity/membership/mine', body), 400, 'is not a UUID');
  });
});

describe('POST /gov/v1/policy/compliance', () => {
  test('issues a certificate about a subject and a policy, which can be revoked', async () => {
    const asked = await newCompliance();
    const certificate = await certify(asked);
    const credential = await credentialAt(certificate);
    expect(credential).toMatchObject({
      type: ['VerifiableCredential', 'PolicyComplianceCredential'],
      credentialSubject: {
        id: `urn:cid:${asked.subject}`,
        policy: `urn:cid:${asked.body.policyCid}`,
        project: `urn:uuid:${asked.project}`,
      },
    });
    expect(await certify(asked)).toEqual(certificate);
    expect(await standingsAt(asked.subject, asked.project)).toEqual(['valid']);
    await setStatus(certificate, 'revocation');
    expect(await standingsAt(asked.subject, asked.project)).toEqual(['revoked']);
    const path = `/statements/v1?graph_id=${asked.project}&type=GovernanceRegistration`;
    const { statements } = (await send(service, 'GET', path)).json;
    expect(statements.map(({ trust }: { trust: { state: string } }) => trust.state)).toEqual(['revoked']);
    const { json } = await send(service, 'POST', '/credentials/v1/verify', { credential });
    expect(json).toMatchObject({ verified: false, checks: { status: { result: 'failed' } } });
  });

  test('is in the manifest of its policy, together with the memberships of the project', async () => {
    const { project, subject, body } = await newCompliance();
    const { sourceCid } = await certify({ project, body });
    await certify({ project, body: { ...body, policyCid: (await newPolicy(service)).policyCid } });
    const membership = await join(project);
    const asked = { policyCids: [body.policyCid], includeBlobs: true };
    const manifest = await posted(service, `policy/manifest/${project}`, asked);
    const documents = Object.values<{ document: string }>(manifest.statements).map(
      ({ document }) => document,
    );
    expect(documents.toSorted()).toEqual(
      [`urn:cid:${sourceCid}`, `urn:cid:${membership.sourceCid}`].toSorted(),
    );
    expect(Object.keys(manifest.blobs)).toEqual(
      expect.arrayContaining([
        ...[sourceCid, membership.sourceCid, subject, body.policyCid],
        governanceContextUrl.slice('urn:cid:'.length),
      ]),
    );
  });

  test.each([
    ['an unknown policy', { policyCid: unknown }, 'POST /gov/v1/cid/policy'],
    ['an unknown subject', { subjectCid: unknown }, 'POST /gov/v1/cid/subject'],
    ['a policy that is no CID', { policyCid: 'mine' }, '"mine" is not a CID'],
    ['a date in the past', { expiryDate: '2020-01-01' }, 'in the past'],
    ['no expiry', { expiryDate: undefined }, 'expiryDate'],
  ])('refuses %s', async (_name, more, words) => {
    const { project, body } = await newCompliance();
    expectRefusal(await post(service, `policy/compliance/${project}`, { ...body, ...more }), 400, words);
  });
});
