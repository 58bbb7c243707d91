import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { memory } from '../../bench/service-process.ts';

test.runIf(existsSync('/proc/self/status'))('own memory leaves out mapped files', async () => {
  const { now, own } = await memory(process.pid);
  expect(own).toBeGreaterThan(1);
  // The program of Node itself is such a file.
  expect(own).toBeLessThan(now - 10);
});
