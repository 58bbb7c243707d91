import { statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { flakyReporter } from './test/flaky.ts';
import { leftOutReporter } from './test/left-out.ts';

const report = process.env.CAIRN_TEST_REPORT;
// Processes and threads of the tests start twice as fast with it.
process.env.NODE_COMPILE_CACHE ??= join(tmpdir(), 'cairn-test-compile-cache');
// Stores in memory wait for no disk, and a killed process loses as little there.
if (hasRoom('/dev/shm', 4 * 2 ** 30)) process.env.TMPDIR ??= '/dev/shm';

/** Tests that need MongoDB or Redis. */
const services = ['test/services/**/*.test.ts', 'test/storage/mongo/**/*.test.ts'];
/** Tests of the pages in a browser. */
const chromium = ['test/chromium/**/*.test.ts'];
/** Tests that kill processes, send them signals, read their exit codes, or run helm. */
const processes = ['test/{processes,chart}/**/*.test.ts'];
/** Tests of large inputs, whole stores, long journeys and long waits, which take many seconds. */
const long = ['test/**/*.long.test.ts'];
/** These run in `properties` only, which has more runs of them. */
const slowProperties = [
  'test/domain/{identify,statement-template}.property.test.ts',
  'test/domain/log/{complete-manifest,merkle}.property.test.ts',
  'test/domain/proofs/rewritten-credentials.property.test.ts',
  'test/http/{described-requests,manifest-exports-verify,manifest-verify}.property.test.ts',
  'test/storage/embedded/{fsck.test,damaged-pages.property.test}.ts',
];

function hasRoom(folder: string, bytes: number): boolean {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize >= bytes;
  } catch {
    return false;
  }
}

function project(
  name: string,
  include: readonly string[],
  more: { exclude?: string[]; testTimeout?: number } = {},
) {
  return { extends: true as const, test: { name, include: [...include], ...more } };
}

/** Many more runs of each property than `npm test` has time for. */
const properties = {
  extends: true as const,
  test: {
    name: 'properties',
    testTimeout: 300_000,
    include: ['test/**/*.property.test.ts', 'test/storage/embedded/fsck.test.ts'],
    env: { CAIRN_TEST_THOROUGH: 'true' },
  },
};

export default defineConfig({
  test: {
    projects: [
      project('embedded', ['test/**/*.test.ts'], {
        exclude: [...services, ...chromium, ...processes, ...long, ...slowProperties],
      }),
      project('services', services, { testTimeout: 300_000 }),
      project('chromium', chromium),
      project('processes', [...processes, ...long], { testTimeout: 300_000 }),
      properties,
    ],
    // Long enough for a machine that does many other things beside.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
    pool: 'threads',
    // Files leave nothing behind, and half of the time would go into loading the same modules for each of them.
    isolate: false,
    // Node runs the sources as they are, which is faster than Vite's own module runner.
    experimental: { viteModuleRunner: false },
    expect: { poll: { timeout: 60_000, interval: 20 } },
    // The tests' own provider says that it is not fit for production.
    onConsoleLog: (line) => !line.startsWith('oidc-provider WARNING'),
    // A race that one run in many meets does not stop the others. The end of the run lists it, to be mended.
    retry: process.env.CI ? 1 : 0,
    reporters: ['default', leftOutReporter(), flakyReporter(), ...(report ? ['json' as const] : [])],
    ...(report && { outputFile: { json: report } }),
  },
});
