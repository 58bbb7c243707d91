import { execFileSync, spawnSync } from 'node:child_process';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { describeWith } from '../describe-with.ts';
import { startCollector } from '../telemetry/otlp-collector.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { listeningUrl, spawnCairn } from './spawn-cairn.ts';

const promtool = 'promtool';
const isThere = spawnSync(promtool, ['--version']).status === 0;
const rules = (...args: string[]) =>
  execFileSync(promtool, args, { cwd: join(import.meta.dirname, '../..'), encoding: 'utf8' });

describeWith(
  !isThere && 'promtool is missing. Install the Debian package prometheus.',
  'the alert rules',
  () => {
    test('are valid, and fire when they should', () => {
      expect(rules('check', 'rules', 'k8s/alerts/cairn.yaml')).toContain('SUCCESS');
      expect(rules('test', 'rules', 'test/processes/alert-rules.yaml')).toContain('SUCCESS');
    });
  },
);

/** The address of a port at which nobody listens. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return `http://127.0.0.1:${port}`;
}

test.each(['down', 'silent'])('a collector that is %s blocks neither requests nor the end', async (kind) => {
  await using collector = await startCollector({ silent: true });
  using folder = temporaryFolder();
  const endpoint = kind === 'down' ? await deadAddress() : collector.url;
  const env = {
    CAIRN_DATA_DIR: folder.path,
    CAIRN_WORKERS: '1',
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    // Several attempts to send fail during the test.
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
  };
  using service = spawnCairn(['serve', '--port', '0'], { env });
  const url = await listeningUrl(service.child.stderr, service.done);
  for (let batch = 0; batch < 40; batch += 1) {
    const answers = Array.from({ length: 50 }, async () => (await fetch(`${url}/graph/v1`)).status);
    expect(new Set(await Promise.all(answers))).toEqual(new Set([200]));
  }
  service.child.kill('SIGTERM');
  const { code, stderr } = await service.done;
  expect(code).toBe(0);
  expect(stderr.match(/Traces cannot be sent/g)).toHaveLength(1);
});
