import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openEmbedded, openStore } from '../../src/storage/open.ts';
import { newGraph } from '../builders/graphs.ts';
import { temporaryFolder } from '../cli/run-cairn.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo } from '../storage/mongo/database.ts';
import { describeChart, objectOf, render } from './helm.ts';

const main = new URL('../../src/main.ts', import.meta.url).pathname;

/** The script of the backup job, with a folder of this machine for its volume. */
async function backupScript(volume: string): Promise<string> {
  const { stdout } = await render('minimal', 'backup.enabled=true', 'backup.keep=2');
  const [, script = ''] = /- \|\n([\s\S]*?)\n\s+env:/.exec(objectOf(stdout, 'CronJob', 'backup')) ?? [];
  return script.replaceAll('/backup', volume);
}

describeMongo('the backup job of the Helm chart', () => {
  describeChart('the script', () => {
    test('copies a store in use into a folder of its own, and removes the oldest copy', async () => {
      using folder = temporaryFolder();
      await using database = await newServiceStore('mongodb');
      const fail = () => expect.fail('MongoDB does not answer.');
      await using store = await openStore(
        readSettings({ ...database.environment, CAIRN_WORKERS: '1' }),
        fail,
      );
      const [programs, volume] = [join(folder.path, 'bin'), join(folder.path, 'volume')];
      for (const path of [programs, volume]) mkdirSync(path);
      const command = `exec '${process.execPath}' --disable-warning=ExperimentalWarning '${main}' "$@"`;
      writeFileSync(join(programs, 'cairn'), `#!/bin/sh\n${command}\n`, { mode: 0o755 });
      const environment = { ...process.env, ...database.environment, CAIRN_WORKERS: '1' };
      const options = { env: { ...environment, PATH: `${programs}:${process.env.PATH}` } };
      const script = await backupScript(volume);
      const graph = newGraph();
      for (const former of ['2026-01-01T00-00-00Z', '2026-01-02T00-00-00Z']) mkdirSync(join(volume, former));
      await store.graphs.add(graph);
      const { stdout } = await promisify(execFile)('sh', ['-c', script], options);
      const name = /The backup is (\S+)/.exec(stdout)?.[1] ?? expect.fail(stdout);
      expect(readdirSync(volume)).toEqual(['2026-01-02T00-00-00Z', name]);
      await using copy = await openEmbedded(join(volume, name));
      expect(await copy.graphs.get(graph.graphId)).toEqual(graph);
      const wrong = { env: { ...options.env, CAIRN_MONGODB_DATABASE: 'cairn-no-such-database' } };
      await expect(promisify(execFile)('sh', ['-c', script], wrong)).rejects.toThrow(
        /no store|does not|not/i,
      );
      expect(readdirSync(volume).filter((file) => file !== 'unfinished')).toEqual([
        '2026-01-02T00-00-00Z',
        name,
      ]);
    });
  });
});
