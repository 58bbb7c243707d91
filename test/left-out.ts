import type { Reporter } from 'vitest/node';

/** What each project tests. `test:all` runs all of them. */
const projects = {
  embedded: 'everything on the embedded store',
  services: 'MongoDB and Redis',
  chromium: 'the pages in Chromium',
  processes: 'processes that are started and killed, large inputs, long waits',
  properties: 'many more runs of each property',
};

const servers = { CAIRN_TEST_MONGODB_URL: 'MongoDB', CAIRN_TEST_REDIS_URL: 'Redis' };

/** The sentences that say which tests a run of these projects leaves out, and why. */
export function leftOut(
  chosen: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): string[] {
  const others = Object.entries(projects).filter(([name]) => !chosen.includes(name));
  const missing = Object.entries(servers).filter(([variable]) => !environment[variable]);
  const names = others.map(([name, what]) => `${name} (${what})`).join(', ');
  return [
    ...(others.length > 0
      ? [`Not run, to be quick: ${names}. npm run test:all runs everything (docs/operating.md).`]
      : []),
    ...(chosen.includes('services')
      ? missing.map(([variable, server]) => `Skipped: tests with ${server}, because ${variable} is not set.`)
      : []),
  ];
}

/** Says before a run which tests it leaves out, unless files are named. */
export function leftOutReporter(): Reporter {
  const isFiltered = process.argv.some((argument) => argument.startsWith('test/'));
  return {
    onInit({ projects: chosen }) {
      const names = chosen.map(({ name }) => name);
      if (!isFiltered) for (const line of leftOut(names, process.env)) console.log(` ${line}`);
    },
  };
}
