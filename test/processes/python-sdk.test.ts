import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWith } from '../describe-with.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { type SpawnedService, spawnService } from './spawn-cairn.ts';

const run = promisify(execFile);
const python = join(process.env.CAIRN_TEST_PYTHON_SDK ?? '', 'bin/python');
const absence = 'there is no SDK (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';
const scriptAt = (name: string) => fileURLToPath(new URL(name, import.meta.url));

const cases = ['ED25519', 'SECP256R1', 'SECP256K1'].flatMap((algorithm) => [
  [algorithm, 'one by one', ''],
  [algorithm, 'in batches', 'true'],
]);

/** Runs a script whose last line says what it sent and what the service exports. */
async function runScript(name: string, args: string[], env: Record<string, string>) {
  // The SDK keeps its keys in the current folder.
  using folder = temporaryFolder();
  const options = { cwd: folder.path, env: { ...process.env, ...env } };
  const { stdout } = await run(python, [scriptAt(name), ...args], options);
  return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
}

const read = async ({ url }: Pick<SpawnedService, 'url'>, path: string) =>
  JSON.parse(await (await fetch(`${url}${path}`)).text());

/** All statements arrived, are signed by the key of the SDK, and are exported as the SDK accepts them. */
async function assertWhole(
  service: Pick<SpawnedService, 'url'>,
  { graph, did, sent, exported, verified, credentials }: Awaited<ReturnType<typeof runScript>>,
) {
  expect({ exported, verified }).toEqual({ exported: sent, verified: true });
  const { statements } = await read(service, `/statements/v1?graph_id=${graph}&limit=1000`);
  expect(statements).toHaveLength(sent.length);
  for (const { trust } of statements) expect(trust).toMatchObject({ state: 'signed', by: did, valid: true });
  // The SDK signs again what it registers twice; in the same second both are one statement.
  expect(credentials).toBeGreaterThanOrEqual(statements.length / 2);
}

async function namesBehind(service: Pick<SpawnedService, 'url'>, id: string): Promise<string[]> {
  const { nodes } = await read(service, `/lineage/v1/${id}?direction=upstream`);
  return nodes.map(({ name }: { name?: string }) => name);
}

describeWith(!existsSync(python) && absence, 'the public Python SDK', () => {
  test.each(cases)(
    'registers what it signed with %s, %s, with a new service',
    async (algorithm = '', _, batch = '') => {
      await using service = await spawnService();
      const facts = await runScript('python-sdk.py', [service.url, algorithm], {
        EQTY_BATCH_REGISTER: batch,
      });
      await assertWhole(service, facts);
      const { statements: computations } = await read(service, '/statements/v1?type=ComputationRegistration');
      const { output } = computations[0].statement;
      expect(await namesBehind(service, [output].flat()[0])).toContain('Normalize');
    },
  );

  // Each key and each way once, because importing LangGraph takes seconds.
  test.each(cases.filter((_, at) => at % 3 === 0 || at === 5))(
    'registers the LangGraph agent of the guide with %s, %s',
    async (algorithm = '', _, batch = '') => {
      await using service = await spawnService();
      using folder = temporaryFolder();
      const guide = readFileSync(new URL('../../docs/python.md', import.meta.url), 'utf8');
      const [, code = ''] = /```python\n# agent\.py\n(.*?)```/s.exec(guide) ?? [];
      const agent = join(folder.path, 'agent.py');
      const changed = code
        .replaceAll('http://127.0.0.1:3050', service.url)
        .replace('SIGNER_ALGORITHMS.SECP256R1', `SIGNER_ALGORITHMS.${algorithm}`);
      writeFileSync(agent, changed);
      const env = { EQTY_API_KEY: 'none', EQTY_BATCH_REGISTER: batch };
      const facts = await runScript('python-agent.py', [service.url, agent], env);
      await assertWhole(service, facts);
      const { runs } = await read(service, '/runs/v1?limit=100');
      const graph = runs.find(({ name }: { name: string }) => name === 'LangGraph');
      expect(await namesBehind(service, graph.outputs[0].id)).toEqual(
        expect.arrayContaining(['assistant', 'temperature', 'FakeMessagesListChatModel', 'tools']),
      );
      expect(await read(service, `/search/v1?q=weather`)).toMatchObject({
        graphs: { items: [{ name: 'weather agent', page: `/ui/graph/${facts.graph}` }] },
      });
    },
  );
});
