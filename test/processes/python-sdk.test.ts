import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWith } from '../describe-with.ts';
import { spawnService } from './spawn-cairn.ts';

const run = promisify(execFile);
const python = join(process.env.CAIRN_TEST_PYTHON_SDK ?? '', 'bin/python');
const absence = 'there is no SDK (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';
const script = fileURLToPath(new URL('python-sdk.py', import.meta.url));

const cases = ['ED25519', 'SECP256R1', 'SECP256K1'].flatMap((algorithm) => [
  [algorithm, 'one by one', ''],
  [algorithm, 'in batches', 'true'],
]);

describeWith(!existsSync(python) && absence, 'the public Python SDK', () => {
  test.each(cases)(
    'registers what it signed with %s, %s, with a new service',
    async (algorithm, _, batch) => {
      await using service = await spawnService();
      const env = { ...process.env, EQTY_BATCH_REGISTER: batch };
      const { stdout } = await run(python, [script, service.url, String(algorithm)], { env });
      const { graph, did, sent, exported, verified, credentials } = JSON.parse(stdout);
      expect({ exported, verified }).toEqual({ exported: sent, verified: true });

      const read = async (path: string) => JSON.parse(await (await fetch(`${service.url}${path}`)).text());
      const { statements } = await read(`/statements/v1?graph_id=${graph}&limit=100`);
      expect(statements).toHaveLength(sent.length);
      for (const { trust } of statements)
        expect(trust).toMatchObject({ state: 'signed', by: did, valid: true });
      expect(credentials).toBe(statements.length / 2);

      const { statements: computations } = await read('/statements/v1?type=ComputationRegistration');
      const { output } = computations[0].statement;
      const { nodes } = await read(`/lineage/v1/${[output].flat()[0]}?direction=upstream`);
      expect(nodes.map(({ name }: { name?: string }) => name)).toContain('Normalize');
    },
  );
});
