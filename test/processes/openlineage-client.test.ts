import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { describeWith } from '../describe-with.ts';
import { newGraph } from '../http/manifest-samples.ts';
import { spawnService } from './spawn-cairn.ts';

const folder = process.env.CAIRN_TEST_PYTHON_SDK ?? '';
const absence = 'there is no OpenLineage client (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';
const script = fileURLToPath(new URL('openlineage-client.py', import.meta.url));

describeWith(!existsSync(join(folder, 'installed')) && absence, 'the OpenLineage client of Python', () => {
  test('reports runs with the URL and a token alone', async () => {
    await using service = await spawnService();
    const ask = async (path: string, init?: RequestInit) => await fetch(`${service.url}${path}`, init);
    const graph = await newGraph({ app: { request: ask } });
    await promisify(execFile)(join(folder, 'bin/python'), [script, service.url, 'a-token', graph]);
    const read = async (path: string) => JSON.parse(await (await ask(path)).text());
    const { runs } = await read(`/runs/v1?graph_id=${graph}`);
    const found = runs.map(({ name, result }: { name: string; result: string }) => [name, result]);
    expect(found.sort()).toEqual([
      ['broken', 'failed'],
      ['load', 'succeeded'],
      ['report', 'succeeded'],
    ]);
    const report = runs.find(({ name }: { name: string }) => name === 'report');
    const { nodes } = await read(`/lineage/v1/${report.outputs[0].id}?graph_id=${graph}&direction=upstream`);
    expect(nodes.map(({ name }: { name?: string }) => name)).toEqual(
      expect.arrayContaining(['raw', 'orders']),
    );
  });
});
