import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { type Answer, type Asked, send } from '../service.ts';

export const submitter = 'did:example:submitter';
export const submission = { submittedAt: '2026-03-01T09:30:00+02:00', submittedBy: submitter };

export async function post(service: Asked, path: string, body: unknown): Promise<Answer> {
  return await send(service, 'POST', `/gov/v1/${path}`, body);
}

/** Sends a request that must be accepted. */
export async function posted(service: Asked, path: string, body: unknown) {
  const answer = await post(service, path, body);
  expect(answer.status, answer.text).toBe(200);
  return answer.json;
}

/** Registers a new subject. @returns its CID. */
export async function newSubject(service: Asked, more: object = {}): Promise<string> {
  const answer = await post(service, 'cid/subject', { id: randomUUID(), ...more });
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

/** Registers a new policy with some controls. */
export async function newPolicy(service: Asked, controls = 1) {
  const mark = randomUUID();
  const answer = await posted(service, 'cid/policy', {
    policy: { title: `policy ${mark}` },
    controls: Array.from({ length: controls }, (_, at) => ({ title: `control ${at} of ${mark}` })),
  });
  return answer as { policyCid: string; controlCids: string[] };
}

export async function blobText(service: Asked, cid: string): Promise<string> {
  const answer = await send(service, 'GET', `/store/v1/blob/${cid}`);
  expect(answer.status, answer.text).toBe(200);
  return answer.text;
}

/** Checks that a request is refused with this status and a sentence that has these words. */
export function expectRefusal({ status, json }: Answer, wanted: number, words: string): void {
  expect([status, json.error]).toEqual([wanted, expect.stringContaining(words)]);
}
