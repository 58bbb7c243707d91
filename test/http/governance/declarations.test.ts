import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../../src/domain/integrity/contexts/own.ts';
import { jcs } from '../../../src/domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { someDid } from '../../builders/credentials.ts';
import { send, useService } from '../service.ts';
import {
  blobText,
  expectRefusal,
  newPolicy,
  newSubject,
  post,
  posted,
  submission,
  submitter,
} from './governance.ts';

const service = useService();
const unknown = cidOf(codecs.jcs, 'unknown').text;
const get = async (path: string) => await send(service, 'GET', path);

interface Declared {
  readonly documentCid: string;
  readonly statement: Record<string, string>;
  readonly statementCid: string;
}

async function declare(subject: string, project: string, more: object = {}): Promise<Declared> {
  return await posted(service, `controls/declaration/${subject}/${project}`, { ...submission, ...more });
}

describe('POST /gov/v1/controls/declaration', () => {
  test('stores the document and a statement with seven members in a new graph of the project', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const { controlCids } = await newPolicy(service);
    const document = {
      ...submission,
      controlCid: controlCids.map((cid) => `urn:cid:${cid}`),
      documentType: 'evaluation',
      extra: { score: 0.9, note: null },
      statement: 'It passed.',
      subjectLine: 'Evaluation',
    };
    const answer = await declare(subject, project, document);
    const { documentCid, statement, statementCid } = answer;
    expect(documentCid).toBe(cidOf(codecs.jcs, jcs(document)).text);
    expect(await blobText(service, documentCid)).toBe(jcs(document));
    expect(statement).toEqual({
      '@context': ownContextUrl,
      '@id': `urn:cid:${statementCid}`,
      '@type': 'GovernanceRegistration',
      document: `urn:cid:${documentCid}`,
      registeredBy: expect.stringMatching(/^did:key:z6Mk/),
      subject: `urn:cid:${subject}`,
      timestamp: '2026-03-01T07:30:00Z',
    });
    const { graphs } = (await get('/graph/v1?limit=1000')).json;
    expect(graphs).toContainEqual(expect.objectContaining({ graph_id: project, project_id: project }));
    const stored = (await get(`/statements/v1?graph_id=${project}`)).json.statements;
    const types = ['CredentialRegistration', 'GovernanceRegistration'];
    expect(stored.map((one: { type: string }) => one.type)).toEqual(types);
    expect(stored[1].statement).toEqual(statement);
    const trust = { state: 'signed', by: statement.registeredBy, by_registrant: true, valid: true };
    expect(stored.map((one: { trust: object }) => one.trust)).toEqual([trust, trust]);
    expect((await get(`/statements/v1/id/${statementCid}`)).json).toEqual(statement);
    expect(await declare(subject, project, document)).toEqual(answer);
  });

  test('uses the existing graph of the project', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    await send(service, 'PUT', '/graph/v1', { graph_id: project, name: 'ours' });
    await declare(subject, `urn:uuid:${project.toUpperCase()}`);
    const { statements } = (await get(`/statements/v1?graph_id=${project}`)).json;
    expect(statements).toHaveLength(2);
  });

  test('cannot be blocked by a graph of another project with the id of the project', async () => {
    const [project, parent_id] = [randomUUID(), randomUUID()];
    await send(service, 'PUT', '/graph/v1', { graph_id: parent_id, name: 'another project' });
    await send(service, 'PUT', '/graph/v1', { graph_id: project, name: 'its child', parent_id });
    const subject = await newSubject(service);
    const [first, ...again] = await Promise.all([1, 2, 3].map(() => declare(subject, project)));
    expect(again).toEqual([first, first]);
    await declare(subject, project, { statement: 'another one' });
    expect((await get(`/statements/v1?graph_id=${project}`)).json.statements).toEqual([]);
    const graphs = (await get(`/graph/v1?name=Project%20${project}`)).json.graphs;
    const [{ graph_id }] = graphs;
    expect(graphs[0]).toMatchObject({ project_id: project, parent_id: null });
    expect((await get(`/statements/v1?graph_id=${graph_id}`)).json.statements).toHaveLength(4);
    const status = (await get(`/gov/v1/status/${subject}/${project}`)).json;
    expect(status.declarations).toHaveLength(2);
    await posted(service, `identity/membership/${project}`, {
      subjectDid: someDid,
      expiryDate: '2099-01-01',
    });
    const manifest = await posted(service, `policy/manifest/${project}`, {
      policyCids: [(await newPolicy(service)).policyCid],
      includeBlobs: false,
      includeContext: false,
    });
    expect(JSON.stringify(manifest)).toContain(someDid);
  });

  test('treats null members as absent', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const absent = ['attachmentCid', 'controlCid', 'statement', 'subjectLine', 'documentType', 'extra'];
    const nulls = Object.fromEntries(absent.map((name) => [name, null]));
    const { documentCid } = await declare(subject, project, nulls);
    expect(await blobText(service, documentCid)).toBe(jcs(submission));
    expect((await declare(subject, project)).documentCid).toBe(documentCid);
  });

  test.each([
    ['2026-03-01T07:30:00Z', '2026-03-01T07:30:00Z'],
    ['2026-03-01T07:30:00.999999999999Z', '2026-03-01T07:30:00Z'],
    ['2026-03-01t07:30:00z', '2026-03-01T07:30:00Z'],
    ['2026-03-01T00:30:00+05:45', '2026-02-28T18:45:00Z'],
    ['1990-12-31T15:59:60-08:00', '1990-12-31T23:59:59Z'],
    ['1969-12-31T23:59:58.5Z', '1969-12-31T23:59:58Z'],
  ])('keeps submittedAt %s as sent, and cuts the timestamp to %s', async (submittedAt, timestamp) => {
    const { documentCid, statement } = await declare(await newSubject(service), randomUUID(), {
      submittedAt,
    });
    expect(statement.timestamp).toBe(timestamp);
    expect(JSON.parse(await blobText(service, documentCid))).toEqual({ submittedAt, submittedBy: submitter });
  });

  test.each([
    ['2026-03-01', 'submittedAt'],
    ['2026-02-30T07:30:00Z', 'submittedAt'],
    ['2026-03-01T07:30:00', 'submittedAt'],
    ['2026-03-01T25:30:00Z', 'submittedAt'],
    ['2026-03-01T07:30:60Z', 'submittedAt'],
    ['0000-01-01T00:00:00+01:00', 'submittedAt'],
    ['9999-12-31T23:59:59-01:00', 'submittedAt'],
    ['yesterday', 'submittedAt "yesterday" is not an RFC 3339 date-time'],
    [null, 'submittedAt'],
    [1_772_350_200, 'submittedAt'],
  ])('refuses %s as submittedAt', async (submittedAt, words) => {
    const path = `controls/declaration/${await newSubject(service)}/${randomUUID()}`;
    expectRefusal(await post(service, path, { ...submission, submittedAt }), 400, words);
  });

  test.each([
    ['a submitter who is no DID', { submittedBy: 'ada' }, 'submittedBy "ada" is not a DID'],
    [
      'a submitter whose did:key has no key',
      { submittedBy: 'did:key:zbad' },
      '"did:key:zbad" is not accepted',
    ],
    ['a control that is no CID', { controlCid: ['one'] }, '"one" is not a CID'],
    ['one attachment without a list', { attachmentCid: unknown }, 'attachmentCid'],
    ['an unknown member', { subjectline: 'x' }, 'subjectline'],
  ])('refuses %s', async (_name, more, words) => {
    const path = `controls/declaration/${await newSubject(service)}/${randomUUID()}`;
    expectRefusal(await post(service, path, { ...submission, ...more }), 400, words);
  });

  test('refuses an unknown subject, and says what to do', async () => {
    const project = randomUUID();
    const policy = await newPolicy(service);
    for (const subject of [unknown, policy.policyCid]) {
      const answer = await post(service, `controls/declaration/${subject}/${project}`, submission);
      expectRefusal(answer, 400, 'POST /gov/v1/cid/subject');
    }
    const { graphs } = (await get('/graph/v1?limit=1000')).json;
    expect(graphs.map(({ graph_id }: { graph_id: string }) => graph_id)).not.toContain(project);
  });

  test('refuses a wrong CID or UUID in the path', async () => {
    const subject = await newSubject(service);
    const declared = (path: string) => post(service, `controls/declaration/${path}`, submission);
    expectRefusal(
      await declared(`${subject}/my-project`),
      400,
      'at "/project_uuid": "my-project" is not a UUID',
    );
    expectRefusal(await declared(`subject/${randomUUID()}`), 400, '"subject" is not a CID');
  });
});

describe('POST /gov/v1/controls/review', () => {
  const review = { decision: 'approved', comment: 'Well done.' };
  const path = (subject: string, project: string) => `controls/review/${subject}/${project}`;

  test.each(['documentCid', 'statementCid'] as const)(
    'registers a review of a declaration that its %s names',
    async (name) => {
      const [subject, project] = [await newSubject(service), randomUUID()];
      const document = { ...submission, ...review, declarationCid: (await declare(subject, project))[name] };
      const answer = await posted(service, path(subject, project), document);
      expect(Object.keys(answer).toSorted()).toEqual(['documentCid', 'statement', 'statementCid']);
      expect(Object.keys(answer.statement)).toHaveLength(7);
      expect(answer.statement).toMatchObject({
        subject: `urn:cid:${subject}`,
        document: `urn:cid:${answer.documentCid}`,
      });
      expect(await blobText(service, answer.documentCid)).toBe(jcs(document));
      expect(await posted(service, path(subject, project), document)).toEqual(answer);
    },
  );

  test('refuses a declaration that is unknown, or of another subject or project', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const { documentCid: declarationCid } = await declare(subject, project);
    const body = { ...submission, ...review, declarationCid };
    for (const [place, cid] of [
      [path(subject, project), unknown],
      [path(subject, randomUUID()), declarationCid],
      [path(await newSubject(service), project), declarationCid],
    ] as const)
      expectRefusal(await post(service, place, { ...body, declarationCid: cid }), 400, 'no declaration');
    const { documentCid } = await posted(service, path(subject, project), body);
    const answer = await post(service, path(subject, project), { ...body, declarationCid: documentCid });
    expectRefusal(answer, 400, 'no declaration');
  });

  test.each([
    ['another decision', { decision: 'maybe' }, 'changes_requested'],
    ['no decision', { decision: null }, 'decision'],
    ['no declaration', { declarationCid: null }, 'declarationCid'],
    ['a number as a comment', { comment: 1 }, 'comment'],
  ])('refuses %s', async (_name, more, words) => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const { documentCid: declarationCid } = await declare(subject, project);
    const body = { ...submission, ...review, declarationCid, ...more };
    expectRefusal(await post(service, path(subject, project), body), 400, words);
  });
});
