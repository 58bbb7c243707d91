import { defineConfig } from 'vitest/config';

const report = process.env.CAIRN_TEST_REPORT;

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
});
