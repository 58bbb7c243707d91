import { defineConfig } from 'vitest/config';

const report = process.env.CAIRN_TEST_REPORT;
const hasMongodb = Boolean(process.env.CAIRN_TEST_MONGODB_URL);

if (!hasMongodb && process.env.CI !== 'true')
  console.warn('skipped: the HTTP tests on MongoDB, because there is none (CAIRN_TEST_MONGODB_URL)');

/** Everything once; the HTTP tests on MongoDB besides, where there is one. CI fails without it. */
const projects = [
  { extends: true as const, test: { name: 'embedded', include: ['test/**/*.test.ts'] } },
  {
    extends: true as const,
    test: { name: 'mongodb', include: ['test/http/**/*.test.ts'], env: { CAIRN_TEST_STORE: 'mongodb' } },
  },
];

export default defineConfig({
  test: {
    projects: hasMongodb || process.env.CI === 'true' ? projects : projects.slice(0, 1),
    testTimeout: 30_000,
    hookTimeout: 60_000,
    maxWorkers: 2,
    // Files leave nothing behind, and half of the time would go into loading the same modules for each of them.
    isolate: false,
    expect: { poll: { timeout: 20_000, interval: 20 } },
    // The tests' own provider says that it is not fit for production.
    onConsoleLog: (line) => !line.startsWith('oidc-provider WARNING'),
    reporters: report ? ['default', 'json'] : ['default'],
    ...(report && { outputFile: { json: report } }),
  },
});
