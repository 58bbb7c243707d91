import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jcs } from '../../../src/domain/integrity/identification/jcs.ts';
import { cidOf, codecs } from '../../../src/domain/integrity/identifiers/cid.ts';
import { send, useService } from '../service.ts';
import { blobText, expectRefusal, newPolicy, post, posted } from './governance.ts';

const service = useService();
const cidOfJson = (value: unknown) => cidOf(codecs.jcs, jcs(value)).text;

describe('POST /gov/v1/cid/subject', () => {
  test('answers the JCS CID of the document as plain text, and stores the document', async () => {
    const document = { name: 'A model', id: `urn:uuid:${randomUUID()}`, extra: { b: [null, 1], a: 'ä' } };
    const answer = await post(service, 'cid/subject', document);
    expect([answer.status, answer.headers.get('content-type'), answer.text]).toEqual([
      200,
      'text/plain; charset=utf-8',
      cidOfJson(document),
    ]);
    expect(await blobText(service, answer.text)).toBe(jcs(document));
  });

  test('treats null members as absent', async () => {
    const id = 'a model';
    const absent = ['name', 'description', 'organizationId', 'organizationName', 'organizationDescription'];
    const nulls = Object.fromEntries(absent.map((name) => [name, null]));
    const answer = await post(service, 'cid/subject', { id, ...nulls });
    expect(answer.text).toBe(cidOfJson({ id }));
    expect((await post(service, 'cid/subject', { id })).text).toBe(answer.text);
  });

  test.each([
    ['no id', { name: 'a' }, 'id'],
    ['an id that is null', { id: null }, 'id'],
    ['a number as a name', { id: 'a', name: 1 }, '/name'],
    ['a list as extra', { id: 'a', extra: [] }, '/extra'],
    ['an unknown member', { id: 'a', organisation: 'b' }, 'organisation'],
    ['a list', [], 'object'],
  ])('refuses %s', async (_name, body, words) => {
    expectRefusal(await post(service, 'cid/subject', body), 400, words);
  });

  test('refuses what is not JSON', async () => {
    const answer = await post(service, 'cid/subject', '{"id":"a","id":"b"}');
    expect([answer.status, answer.json.code]).toEqual([400, 'invalid_json']);
    const long = await post(service, 'cid/subject', { id: 'x'.repeat(1 << 20) });
    expectRefusal(long, 413, 'The limit of 1048576 bytes is exceeded.');
  });
});

describe('POST /gov/v1/cid/policy', () => {
  test('stores the policy and its controls, and answers their CIDs in order', async () => {
    const policy = { title: 'Model release', version: 2 };
    const controls = [{ title: 'Evaluate' }, { title: 'Approve', note: null }];
    const answer = await posted(service, 'cid/policy', { policy, controls });
    expect(answer).toEqual({ policyCid: cidOfJson(policy), controlCids: controls.map(cidOfJson) });
    expect(await blobText(service, answer.policyCid)).toBe(jcs(policy));
    for (const [at, cid] of answer.controlCids.entries())
      expect(await blobText(service, cid)).toBe(jcs(controls[at]));
    expect(await posted(service, 'cid/policy', { policy, controls })).toEqual(answer);
  });

  test('keeps every member of the documents, whatever its name', async () => {
    const text = '{"__proto__":{"a":1},"constructor":2}';
    const body = `{"policy":${text},"controls":[${text}]}`;
    const { policyCid, controlCids } = await posted(service, 'cid/policy', body);
    expect([await blobText(service, policyCid), controlCids]).toEqual([text, [policyCid]]);
  });

  test('accepts a policy without controls', async () => {
    const { policyCid } = await newPolicy(service, 0);
    expect((await send(service, 'GET', `/store/v1/exists/${policyCid}`)).json.exists).toBe(true);
    const answer = await posted(service, 'cid/policy', { policy: {}, controls: null });
    expect(answer.controlCids).toEqual([]);
  });

  test.each([
    ['no policy', { controls: [] }, 'policy'],
    ['a text as a policy', { policy: 'be good' }, '/policy'],
    ['CIDs as controls', { policy: {}, controls: ['bafk'] }, '/controls/0'],
  ])('refuses %s', async (_name, body, words) => {
    expectRefusal(await post(service, 'cid/policy', body), 400, words);
  });
});
