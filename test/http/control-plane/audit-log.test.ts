import { randomUUID } from 'node:crypto';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { User } from '../../../src/domain/control-plane/users.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { auditLogOf, usersOf } from '../../contract/nouns.ts';
import { send } from '../service.ts';
import { callerFor, useRecords } from './service.ts';

const service = useRecords();
const action = 'PATCH /v1/users/{id}';
let admin: User;
beforeAll(async () => {
  admin = await service.user('admin');
});
beforeEach(() => {
  service.caller = callerFor(admin);
  service.auditLog = null;
});

const failing = (error: Error) => ({
  insert: () => Promise.reject(error),
  update: () => Promise.reject(error),
});
const patch = (id: string, body: unknown, headers = {}) =>
  send(service, 'PATCH', `/v1/users/${id}`, body, headers);
const list = async (query = '') => await send(service, 'GET', `/v1/audit-log${query}`);
const recordsOf = async (target: string) => (await list(`?target=${target}`)).json.records;

describe('a change', () => {
  test('is recorded with actor, action, target and outcome, before the answer', async () => {
    const user = await service.user();
    const before = Date.now();
    await patch(user.id, { role: 'admin', name: 'Boss' }, { 'x-request-id': 'the-request' });
    const [record, ...others] = await recordsOf(user.id);
    expect(others).toEqual([]);
    expect(record).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      actor: { issuer: admin.issuer, subject: admin.subject, means: 'session' },
      action,
      target: user.id,
      outcome: 'done',
      code: null,
      request_id: 'the-request',
      address: 'local',
      details: { role: 'admin', name: 'Boss' },
    });
    expect(Date.parse(record.at)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(record.at)).toBeLessThanOrEqual(Date.now());
  });

  test('is found by the id of its user in any spelling', async () => {
    const user = await service.user();
    await patch(user.id.toUpperCase(), { name: 'Boss' });
    expect(await recordsOf(user.id)).toMatchObject([{ outcome: 'done', details: { name: 'Boss' } }]);
  });

  test('that is refused is recorded with the reason and without the body', async () => {
    const user = await service.user();
    const secret = `secret-${randomUUID()}`;
    await patch(
      user.id,
      { token: secret },
      { authorization: `Bearer ${secret}`, cookie: `svc_session=${secret}` },
    );
    const records = await recordsOf(user.id);
    expect(records).toMatchObject([{ outcome: 'refused', code: 'invalid_request', details: null }]);
    expect(JSON.stringify((await list('?limit=1000')).json)).not.toContain(secret);
    expect(service.logged.join('')).not.toContain(secret);
  });

  test('by two callers at once is recorded twice, newest first', async () => {
    const user = await service.user();
    const answers = await Promise.all([patch(user.id, { disabled: true }), patch(user.id, { name: 'B' })]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    const records = await recordsOf(user.id);
    expect(records).toHaveLength(2);
    expect(records[0].at >= records[1].at).toBe(true);
  });

  test('does not happen if it cannot be recorded', async () => {
    const user = await service.user();
    service.auditLog = failing(new Error('The disk is gone.'));
    const answer = await patch(user.id, { role: 'admin' });
    expect(answer).toMatchObject({ status: 503, json: { code: 'unavailable' } });
    expect(answer.json.error).toContain('Nothing was changed');
    expect(answer.headers.get('retry-after')).toBe('1');
    expect(await usersOf(service.store).get(user.id)).toEqual(user);
    expect(service.logged.join('')).toContain('An audit record could not be stored.');
    service.auditLog = failing(new ServiceError('storage_full', 'Full.'));
    expect((await patch(user.id, { role: 'admin' })).status).toBe(507);
  });

  test('stays recorded as begun if its outcome cannot be recorded, and the log has the rest', async () => {
    const user = await service.user();
    const { records } = auditLogOf(service.store);
    service.auditLog = {
      insert: (some) => records.insert(some),
      update: () => Promise.reject(new Error('The disk is gone.')),
    };
    expect(await patch(user.id, { name: 'Kept' })).toMatchObject({ status: 200, json: { name: 'Kept' } });
    expect(await recordsOf(user.id)).toMatchObject([{ outcome: 'begun', actor: { subject: admin.subject } }]);
    const line = service.logged.find((text) => text.includes(user.id) && text.includes('"done"'));
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 50, audit: { target: user.id, action } });
  });
});

describe('a forbidden attempt', () => {
  test('is recorded soon after the answer, with the caller if known', async () => {
    const member = await service.user();
    const target = randomUUID();
    service.caller = callerFor(member);
    expect((await patch(target, { role: 'admin' })).status).toBe(403);
    service.caller = null;
    expect((await patch(target, { role: 'admin' })).status).toBe(401);
    service.caller = callerFor(admin);
    await expect.poll(() => recordsOf(target)).toHaveLength(2);
    const records = await recordsOf(target);
    expect(records.map(({ actor }: { actor: unknown }) => actor)).toContainEqual(null);
    expect(records).toContainEqual(
      expect.objectContaining({
        outcome: 'refused',
        code: 'forbidden',
        actor: { issuer: member.issuer, subject: member.subject, means: 'session' },
      }),
    );
    expect(records).toContainEqual(expect.objectContaining({ outcome: 'refused', code: 'unauthorized' }));
  });
});

describe('GET /v1/audit-log', () => {
  test('is read page by page, and filters by actor, action, target and time', async () => {
    const other = await service.user('admin');
    const targets = await Promise.all(Array.from({ length: 3 }, () => service.user()));
    service.caller = callerFor(other);
    for (const { id } of targets) await patch(id, { name: 'X' });
    service.caller = callerFor(admin);
    const wanted = targets.map(({ id }) => id).toReversed();
    const found: { target: string; at: string }[] = [];
    for (let cursor: string | undefined = ''; cursor !== undefined; ) {
      const { json } = await list(`?limit=2&actor=${other.subject}${cursor && `&cursor=${cursor}`}`);
      found.push(...json.records);
      cursor = json.next_cursor;
    }
    expect(found.map(({ target }) => target).toSorted()).toEqual(wanted.toSorted());
    const query = `?actor=${other.subject}&action=${encodeURIComponent(action)}`;
    expect((await list(query)).json.records).toHaveLength(3);
    expect((await list(`?actor=${other.subject}&action=GET`)).json.records).toEqual([]);
    const [{ at: last } = { at: '' }] = found;
    const beyond = new Date(Date.parse(last) + 1).toISOString();
    expect((await list(`${query}&before=${beyond}`)).json.records).toHaveLength(3);
    expect((await list(`${query}&after=${beyond}`)).json.records).toEqual([]);
    expect((await list(`${query}&after=${last}&target=${found[0]?.target}`)).json.records).toHaveLength(1);
  });

  test('has no records of reads', async () => {
    await list('?limit=1');
    await send(service, 'GET', '/v1/users');
    const actions = (await list('?limit=1000')).json.records.map((one: { action: string }) => one.action);
    expect(new Set(actions)).toEqual(new Set([action]));
  });

  test.each(['limit=0', 'cursor=x', 'after=yesterday', 'before=2026-02-30T00:00:00Z', 'actor='])(
    'refuses ?%s',
    async (query) => {
      expect((await list(`?${query}`)).status).toBe(400);
    },
  );

  test('refuses the cursor of another list', async () => {
    await patch((await service.user()).id, { name: 'A' });
    await patch((await service.user()).id, { name: 'B' });
    const { next_cursor: cursor } = (await list('?limit=1')).json;
    expect((await list(`?limit=1&cursor=${cursor}`)).status).toBe(200);
    expect((await list(`?limit=1&actor=x&cursor=${cursor}`)).status).toBe(400);
  });

  test('is only for administrators', async () => {
    service.caller = callerFor(await service.user());
    expect((await list()).status).toBe(403);
    service.caller = null;
    expect((await list()).status).toBe(401);
  });
});
