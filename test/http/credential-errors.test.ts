import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { newCredential } from '../builders/credentials.ts';
import { send, useService } from './service.ts';

const service = useService();
const quiet = useService();

/** Takes the records of credentials away from a running service, until the test ends. */
function breakStore({ folder }: { readonly folder: string }): void {
  const rename = (from: string, to: string) => {
    using database = new DatabaseSync(join(folder, 'cairn.db'));
    database.exec(`ALTER TABLE ${from} RENAME TO ${to}`);
  };
  rename('credentials', 'lost');
  restore.push(() => rename('lost', 'credentials'));
}
const restore: (() => void)[] = [];
afterEach(() => {
  for (const one of restore.splice(0)) one();
});

const allocate = (of: typeof service) => send(of, 'POST', '/credentials/v1/allocate', newCredential());
const entry = { statusListCredential: 'x', statusListIndex: '1' };
const revoke = (of: typeof service) =>
  send(of, 'POST', '/credentials/v1/revoke/urn:x:y', { credentialStatus: entry });

describe('a failure of the service', () => {
  test.each([
    ['allocate', allocate],
    ['revoke', revoke],
  ])(
    '%s answers 500 with the error body, and the call stack only with CAIRN_DEBUG_ERRORS',
    async (_, ask) => {
      breakStore(quiet);
      const answer = await ask(quiet);
      expect([answer.status, answer.json.code]).toEqual([500, 'internal']);
      expect(answer.json).toEqual({
        error: expect.any(String),
        code: 'internal',
        request_id: expect.any(String),
      });
      await service.restart({ CAIRN_DEBUG_ERRORS: 'true' });
      breakStore(service);
      const loud = await ask(service);
      expect(loud.status).toBe(500);
      expect(loud.json.callstack.internal).toMatch(/\n\s+at /);
    },
  );
});
