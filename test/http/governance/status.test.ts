import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { send, useService } from '../service.ts';
import { expectRefusal, newPolicy, newSubject, posted, submission, submitter } from './governance.ts';

const service = useService();
const get = async (path: string) => await send(service, 'GET', `/gov/v1/status/${path}`);

describe('GET /gov/v1/status', () => {
  test('shows the declarations with their last reviews, and the last review about each control', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const { controlCids } = await newPolicy(service, 3);
    const [first = '', second = '', third = ''] = controlCids;
    const declare = (more: object) =>
      posted(service, `controls/declaration/${subject}/${project}`, { ...submission, ...more });
    const review = (declarationCid: string, decision: string, more: object = {}) =>
      posted(service, `controls/review/${subject}/${project}`, {
        ...submission,
        declarationCid,
        decision,
        ...more,
      });
    const all = await declare({ controlCid: controlCids });
    const plain = await declare({ subjectLine: 'without controls' });
    await review(all.documentCid, 'approved');
    const rejected = await review(all.documentCid, 'rejected', { controlCid: [second] });
    const later = await declare({ controlCid: [third], subjectLine: 'again' });
    const { status, json, headers } = await get(`${subject}/${project}`);
    expect([status, headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect([json.subject, json.project]).toEqual([`urn:cid:${subject}`, project]);
    expect(json.declarations).toMatchObject([
      {
        documentCid: all.documentCid,
        statementCid: all.statementCid,
        submittedAt: '2026-03-01T07:30:00Z',
        submittedBy: submitter,
        principal: { issuer: 'disabled', subject: 'development' },
        controlCids,
        review: { documentCid: rejected.documentCid, decision: 'rejected' },
      },
      { documentCid: plain.documentCid, controlCids: [], review: null },
      { documentCid: later.documentCid, controlCids: [third], review: null },
    ]);
    expect(json.controls).toMatchObject([
      { controlCid: first, declarationCid: all.documentCid, review: { decision: 'approved' } },
      { controlCid: second, declarationCid: all.documentCid, review: { decision: 'rejected' } },
      {
        controlCid: third,
        declarationCid: later.documentCid,
        review: { decision: 'approved', declarationCid: all.documentCid },
      },
    ]);
    expect(json.certificates).toEqual([]);
    const { subject: _, checks: __, uncheckedPolicyCids: ___, ...inProject } = json;
    expect((await get(subject)).json).toEqual({ subject: `urn:cid:${subject}`, projects: [inProject] });
  });

  test('orders reviews by their registration, because callers choose submittedAt', async () => {
    const [subject, project] = [await newSubject(service), randomUUID()];
    const path = `${subject}/${project}`;
    const { documentCid: declarationCid } = await posted(service, `controls/declaration/${path}`, submission);
    const review = { ...submission, declarationCid };
    await posted(service, `controls/review/${path}`, {
      ...review,
      decision: 'approved',
      submittedAt: '2999-01-01T00:00:00Z',
    });
    await posted(service, `controls/review/${path}`, { ...review, decision: 'rejected' });
    expect((await get(path)).json.declarations[0].review.decision).toBe('rejected');
  });

  test('is empty for a subject and for a DID without anything', async () => {
    const empty = { declarations: [], controls: [], certificates: [] };
    for (const subject of [await newSubject(service), 'did:example:nobody'])
      expect((await get(`${subject}/${randomUUID()}`)).json).toMatchObject(empty);
    expect((await get('did:example:nobody')).json.projects).toEqual([]);
  });

  test('refuses an unknown subject, and what is no subject', async () => {
    const unknown = cidOf(codecs.jcs, 'unknown').text;
    expectRefusal(await get(`${unknown}/${randomUUID()}`), 404, 'There is no subject');
    expectRefusal(await get(`${randomUUID()}/${randomUUID()}`), 404, 'There is no subject');
    expectRefusal(await get(`a-model/${randomUUID()}`), 400, 'neither a CID');
    expectRefusal(await get(`${unknown}/a-project`), 400, 'is not a UUID');
  });
});
