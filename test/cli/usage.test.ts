import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { cairn, startService, temporaryFolder } from './run-cairn.ts';

describe.concurrent('the command line', () => {
  test('prints its version and its commands', async () => {
    expect(await cairn(['--version'])).toEqual({ code: 0, stdout: `${packageJson.version}\n`, stderr: '' });
    const help = await cairn(['ingest', '--help']);
    expect(help.code).toBe(0);
    expect(help.stdout).toMatch(/--generate-id[\s\S]*default:\s+1000[\s\S]*Examples:/);
    expect((await cairn(['record', '--help'])).stdout).not.toMatch(/default:\s+[[{]/);
  });

  test('exits with 2 and an explanation on stderr for wrong usage', async () => {
    for (const args of [
      [],
      ['nonsense'],
      ['put'],
      ['serve', 'nonsense'],
      ['ingest', 'x', '--batch', '0'],
      ['put', 'x', '--codec', 'raw'],
      ['graph', 'create', ' '],
      ['graph', 'create', 'n'.repeat(501)],
      ['search', ''],
      ['retract', `urn:cid:bagb6qaq6e${'a'.repeat(50)}`, '--reason', ''],
    ]) {
      const { code, stdout, stderr } = await cairn(args);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).not.toMatch(/\n\s+at /);
      expect(stderr).not.toBe('');
    }
  });
});

describe.concurrent('authentication that cannot work', () => {
  test.each([
    [{ CAIRN_AUTH_MODE: 'ldap' }, ['CAIRN_AUTH_MODE']],
    [{ CAIRN_AUTH_MODE: 'auth_service' }, ['CAIRN_AUTH_SERVICE_BASE_URL']],
    [{ CAIRN_HOST: '0.0.0.0' }, ['CAIRN_HOST', 'CAIRN_PUBLIC_URL']],
    [
      {
        CAIRN_AUTH_MODE: 'oidc',
        CAIRN_OIDC_ISSUER_URL: 'http://idp.example',
        CAIRN_TRUSTED_PROXIES: 'proxy',
        CAIRN_TOKEN_FAILURE_RATE: 'many',
      },
      [
        'CAIRN_OIDC_ISSUER_URL',
        'CAIRN_TRUSTED_PROXIES',
        'CAIRN_TOKEN_FAILURE_RATE',
        'CAIRN_OIDC_AUDIENCE',
        'CAIRN_CLAIM_NAMESPACE',
      ],
    ],
  ])('is reported completely before anything starts, with exit code 2: %j', async (env, named) => {
    const { code, stdout, stderr } = await cairn(['serve', 'integrity'], { env });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    const lines = stderr.trimEnd().split('\n');
    expect(lines).toHaveLength(named.length);
    for (const name of named) expect(lines.some((line) => line.includes(name))).toBe(true);
  });
});

describe.concurrent('cairn config', () => {
  test('prints the effective settings without the token', async () => {
    const env = { CAIRN_PORT: '8080', CAIRN_TOKEN: 'very-secret' };
    const asTable = await cairn(['config'], { env });
    expect(asTable).toMatchObject({ code: 0, stderr: '' });
    expect(asTable.stdout).toMatch(/^CAIRN_PORT\s+8080\s+set/m);
    expect(asTable.stdout).toMatch(/^CAIRN_HOST\s+127\.0\.0\.1\s+default/m);
    const asJson = await cairn(['config', '--json'], { env });
    expect(JSON.parse(asJson.stdout)).toContainEqual(
      expect.objectContaining({ variable: 'CAIRN_PORT', value: '8080' }),
    );
    expect(asTable.stdout + asJson.stdout).not.toContain('very-secret');
  });

  test('shows what cairn.json sets', async () => {
    using folder = temporaryFolder();
    const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
    const file = join(folder.path, 'cairn.json');
    writeFileSync(file, JSON.stringify({ graph, url: 'https://cairn.example' }));
    const run = await cairn(['config'], { cwd: folder.path });
    expect(run).toMatchObject({ code: 0, stderr: `${file} sets the graph ${graph} and CAIRN_URL.\n` });
    expect(run.stdout).toMatch(/^CAIRN_URL\s+https:\/\/cairn\.example\s+set/m);
    const env = { CAIRN_URL: 'http://127.0.0.1:9' };
    expect((await cairn(['config'], { cwd: folder.path, env })).stderr).toContain(`sets the graph ${graph}.`);
  });

  test('reports every problem at once, one per line', async () => {
    const env = {
      CAIRN_PORT: 'many',
      CAIRN_LOG_LEVEL: 'loud',
      CAIRN_URL: 'nowhere',
      CAIRN_TOKEN: 'two words',
    };
    const { code, stderr } = await cairn(['config'], { env });
    expect(code).toBe(2);
    expect(stderr.trimEnd().split('\n')).toHaveLength(4);
    expect(stderr).not.toContain('two words');
  });
});

describe.concurrent('a command that calls the service', () => {
  test('exits with 3 at an address that is not of Cairn, whatever it answers', async () => {
    for (const status of [403, 404, 413]) {
      const other = createServer((_request, response) => response.writeHead(status).end('<h1>No</h1>'));
      await once(other.listen(0, '127.0.0.1'), 'listening');
      const env = { CAIRN_URL: `http://127.0.0.1:${(other.address() as AddressInfo).port}` };
      const { code, stderr } = await cairn(['runs'], { env });
      other.close();
      expect([code, stderr]).toEqual([3, expect.stringMatching(/answered \d+ .* not like a Cairn service/)]);
    }
  });
});

describe.concurrent('cairn serve', () => {
  test('reports every problem of its settings at once', async () => {
    const { code, stderr } = await cairn(['serve', '--port', '-1'], { env: { CAIRN_WORKERS: 'all' } });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^--port="-1" .*\nCAIRN_WORKERS="all" .*\n$/);
  });

  test('reports a used port in one line, and makes no data folder', async () => {
    using folder = temporaryFolder();
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const port = String((other.address() as AddressInfo).port);
    const data = join(folder.path, 'data');
    const { code, stderr } = await cairn(['serve', '--port', port, '--data-dir', data]);
    other.close();
    expect(existsSync(data)).toBe(false);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Port \d+ of 127\.0\.0\.1 is used .*\n$/),
    });
  });

  test('reports a folder in use in one line and stops cleanly', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    const service = await startService({ CAIRN_DATA_DIR: data });
    const second = await cairn(['serve', '--port', '0', '--data-dir', data]);
    expect(second).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/^The data folder .* in use .*\n$/),
    });
    expect(await service.stop()).toBe(0);
  });

  test('reports a data folder that is a file in one line', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'file');
    writeFileSync(file, '');
    const { code, stderr } = await cairn(['serve', '--port', '0', '--data-dir', file]);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^Cairn cannot use the data folder .*\n$/),
    });
  });
});
