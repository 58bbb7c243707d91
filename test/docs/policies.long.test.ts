import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { houses } from '../../bench/demo/graphs.ts';
import { recordHouses } from '../../bench/demo/houses.ts';
import { registerGraph } from '../../bench/demo/store-demo.ts';
import { openClient } from '../../src/cli/client/api-client.ts';
import { evaluate } from '../../src/domain/integrity/policies/evaluate.ts';
import { readFacts } from '../../src/domain/integrity/policies/read-facts.ts';
import { readPolicy } from '../../src/domain/integrity/policies/read-policy.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { useServer, useService } from '../http/service.ts';

const page = readFileSync(new URL('../../docs/policies.md', import.meta.url), 'utf8');
const policyPattern = /```yaml\n(?:# \S+\n)?(cairn: policy\/1\n.*?)```/s;
const ten = page.slice(page.indexOf('## Ten policies'), page.indexOf('## A policy'));
/** The first is the one with which the page begins. */
const policies = ten
  .split(/^\*\*\d+\. /m)
  .slice(1)
  .map((section, at) => {
    const [, text = ''] = policyPattern.exec(at === 0 ? page : section) ?? [];
    const [, result = ''] = /^In the demo: \*\*(.+?)\*\*/m.exec(section) ?? [];
    return { number: at + 1, text, result: result.replace(' ', '_') };
  });

const service = useService();
const server = useServer(service);
const folder = temporaryFolder();
const inFolder = (name: string) => join(folder.path, name);
const subject = 'house-prices';

beforeAll(async () => {
  const { url } = server;
  await registerGraph(openClient({ url, bearer: () => null }), houses);
  await recordHouses({ url, token: null });
  for (const [file, ...more] of [['proven.car', '--proofs'], ['plain.car']])
    expect(await run('export', houses.graph_id, '-o', inFolder(String(file)), ...more)).toMatchObject({
      code: 0,
    });
});
afterAll(() => folder[Symbol.dispose]());

const run = async (...args: string[]) =>
  await cairn(args, { cwd: folder.path, env: { CAIRN_URL: server.url, HOME: folder.path } });
const resultOf = ({ stdout }: { readonly stdout: string }) => JSON.parse(stdout).result;

test('the page has ten policies', () => {
  expect(policies.map(({ number }) => number)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test.each(policies)(
  'policy $number answers on the demo what the page says, with the service and offline',
  async ({ number, text, result }) => {
    const file = inFolder(`${number}.yaml`);
    writeFileSync(file, text);
    const check = async (...more: string[]) =>
      await run('check', subject, '--policy', file, '--json', ...more);
    expect(resultOf(await check())).toBe(result);
    const key = await (await fetch(`${server.url}/log/v1/key`)).text();
    const offline = ['--manifest', inFolder('proven.car'), '--log-key', key.trim()];
    expect(resultOf(await check(...offline))).toBe(result);
    if (number === 9) expect(resultOf(await check('--manifest', inFolder('plain.car')))).toBe('fail');
  },
);

test('the examples that the page shows are as they expect', async () => {
  const [, examples = ''] = /```yaml\n(examples:.*?)```/s.exec(page) ?? [];
  writeFileSync(inFolder('tested.yaml'), policies[0]?.text + examples.replace('evidence.car', 'proven.car'));
  expect(await run('policy', 'test', 'tested.yaml')).toMatchObject({ code: 0 });
  expect(examples.match(/expect:/g)).toHaveLength(2);
});

test.each(policies)('policy $number passes nothing of which nothing is known', async ({ text }) => {
  const read = readPolicy(text);
  const about = readFacts({ subject });
  if (!('policy' in read && 'facts' in about)) return expect.fail('It cannot be read.');
  const { rules } = await evaluate(read.policy, about.facts, new Date('2026-11-26T00:00:00Z'));
  expect(rules.map(({ result }) => result)).not.toContain('pass');
});
