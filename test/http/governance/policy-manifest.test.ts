import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { importBytes } from '../manifest-samples.ts';
import { putBlob, useService } from '../service.ts';
import { blobText, expectRefusal, newPolicy, newSubject, post, posted, submission } from './governance.ts';

const service = useService();
const narrow = useService({ CAIRN_BLOB_SCOPE: 'project' });
const example = cidOf(codecs.jcs, 'unknown').text;
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A project with two policies: a declaration about each, and a review of the first. */
async function newProject() {
  const [subject, project] = [await newSubject(service), randomUUID()];
  const [policy, other] = [await newPolicy(service, 2), await newPolicy(service)];
  const attachment = (await putBlob(service, randomUUID())).json.cid as string;
  const declare = (more: object) =>
    posted(service, `controls/declaration/${subject}/${project}`, { ...submission, ...more });
  const first = await declare({ controlCid: policy.controlCids.slice(0, 1), attachmentCid: [attachment] });
  const second = await declare({ controlCid: other.controlCids });
  const third = await declare({});
  const review = await posted(service, `controls/review/${subject}/${project}`, {
    ...submission,
    declarationCid: first.documentCid,
    decision: 'approved',
  });
  return { subject, project, policy, other, attachment, first, second, third, review };
}

// biome-ignore lint/suspicious/noExplicitAny: statements are looked at freely
type Statement = any;

function byId(one: Statement, other: Statement): number {
  return one['@id'] < other['@id'] ? -1 : 1;
}

/** The credentials with which the service has signed, and the other statements. */
function partsOf(manifest: { statements: Readonly<Record<string, Statement>> }) {
  const all = Object.values(manifest.statements).toSorted(byId);
  const isCredential = (one: Statement) => one['@type'] === 'CredentialRegistration';
  return { credentials: all.filter(isCredential), others: all.filter((one) => !isCredential(one)) };
}

describe('POST /gov/v1/policy/manifest', () => {
  test('packages policies, controls, declarations and reviews, which can be imported elsewhere', async () => {
    const { subject, project, policy, attachment, first, review } = await newProject();
    const answer = await post(service, `policy/manifest/${project}`, {
      policyCids: [policy.policyCid],
      includeBlobs: true,
      includeContext: true,
    });
    expect([answer.status, answer.headers.get('cairn-missing-blobs')]).toEqual([200, '0']);
    const manifest = answer.json;
    expect(manifest.version).toBe('3');
    const { credentials, others } = partsOf(manifest);
    expect(others).toEqual([first.statement, review.statement].toSorted(byId));
    const signed = credentials.map(({ credential }) => credential.credentialSubject.id);
    expect(signed.toSorted()).toEqual(others.map((one) => one['@id']));
    expect(Object.keys(manifest.contexts)).toContain(first.statement['@context']);
    const cids = [
      subject,
      policy.policyCid,
      ...policy.controlCids,
      attachment,
      first.documentCid,
      review.documentCid,
    ];
    expect(Object.keys(manifest.blobs).toSorted()).toEqual(cids.toSorted());
    for (const cid of cids) expect(manifest.blobs[cid]).toBe(base64(await blobText(service, cid)));
    const imported = await importBytes(narrow, answer.text);
    expect([imported.status, imported.json.statements, imported.json.blobs.stored]).toEqual([
      201,
      { stored: 4, known: 0 },
      cids.length,
    ]);
  });

  test('has several policies, and the same bytes each time', async () => {
    const { project, policy, other, first, second, review } = await newProject();
    const body = { policyCids: [policy.policyCid, `urn:cid:${other.policyCid}`], includeBlobs: null };
    const { json, text, headers } = await post(service, `policy/manifest/${project}`, body);
    const ids = [first, second, review].map(({ statement }) => statement['@id']);
    expect(partsOf(json).others.map((one) => one['@id'])).toEqual(ids.toSorted());
    expect([json.blobs, json.contexts, headers.get('cairn-missing-blobs')]).toEqual([{}, {}, null]);
    expect((await post(service, `policy/manifest/${project}`, body)).text).toBe(text);
  });

  test('has every policy that the project uses unless it names some', async () => {
    const { project, policy, other, first, second, review } = await newProject();
    await newProject();
    for (const policyCids of [undefined, null]) {
      const { status, json } = await post(service, `policy/manifest/${project}`, {
        policyCids,
        includeBlobs: true,
      });
      expect(status).toBe(200);
      const ids = [first, second, review].map(({ statement }) => statement['@id']);
      expect(partsOf(json).others.map((one) => one['@id'])).toEqual(ids.toSorted());
      const cids = [policy, other].flatMap(({ policyCid, controlCids }) => [policyCid, ...controlCids]);
      expect(new Set(Object.keys(json.blobs)).isSupersetOf(new Set(cids))).toBe(true);
    }
  });

  test('has no statements that others stored in the graph', async () => {
    const { policyCid } = await newPolicy(service);
    const { project } = await newProject();
    const { json } = await post(service, `policy/manifest/${project}`, { policyCids: [policyCid] });
    expect(json.statements).toEqual({});
  });

  test.each([
    ['an unknown policy', { policyCids: [example] }, 'POST /gov/v1/cid/policy'],
    ['a policy that is no CID', { policyCids: ['mine'] }, '"mine" is not a CID'],
    ['no policy', { policyCids: [] }, 'policyCids'],
    ['a text as a flag', { policyCids: [example], includeBlobs: 'true' }, 'includeBlobs'],
  ])('refuses %s', async (_name, body, words) => {
    const answer = await post(service, `policy/manifest/${randomUUID()}`, body);
    expectRefusal(answer, 400, words);
  });

  test('refuses a subject as a policy, and a wrong project', async () => {
    const body = { policyCids: [await newSubject(service)] };
    expectRefusal(await post(service, `policy/manifest/${randomUUID()}`, body), 400, 'no policy');
    expectRefusal(
      await post(service, 'policy/manifest/mine', body),
      400,
      'at "/project_uuid": "mine" is not a UUID',
    );
  });
});
