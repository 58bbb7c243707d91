import { expect, test } from 'vitest';
import { leftOut } from './left-out.ts';

test('a run says which projects and servers it leaves out, and how to run them', () => {
  const [line = '', ...others] = leftOut(['embedded'], {});
  expect(others).toEqual([]);
  for (const word of ['MongoDB and Redis', 'Chromium', 'killed', 'npm run test:all'])
    expect(line).toContain(word);
  const all = ['embedded', 'services', 'chromium', 'processes', 'properties'];
  expect(leftOut(all, { CAIRN_TEST_REDIS_URL: 'redis://127.0.0.1' })).toEqual([
    'Skipped: tests with MongoDB, because CAIRN_TEST_MONGODB_URL is not set.',
  ]);
});
