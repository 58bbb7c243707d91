import { afterAll, beforeAll, expect, test } from 'vitest';
import { cairn, type Service, startService } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

test('limits are shown, and those that are named are changed', async () => {
  const { env } = service;
  const limits = async (...args: string[]) => await cairn(['limits', ...args], { env });
  const before = JSON.parse((await limits('--json')).stdout);
  const changed = await limits('--reads', '7');
  expect(changed, changed.stderr).toMatchObject({ code: 0 });
  expect(changed.stdout).toMatch(/^blobs read at once +7\n/);
  expect(JSON.parse((await limits('--json')).stdout)).toEqual({
    ...before,
    blob_store_fetch_concurrency_limit: 7,
  });
  for (const wrong of ['0', 'many', '5000'])
    expect(await limits('--writes', wrong)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('must be a whole number from 1 to 4096'),
    });
});
