import { randomUUID } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { dataStatement, didStatement } from '../builders/statements.ts';
import { changeBlob } from '../storage/embedded/stored-blobs.ts';
import { openGate, type Verdict } from './gate.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e5';
let service: Service;

beforeAll(async () => {
  service = await startService();
  await fill(service.url, 20);
});
afterAll(async () => await service[Symbol.asyncDispose]());

async function fill(url: string, count: number, graph_id = graph): Promise<void> {
  const put = async (path: string, body: unknown) => {
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
    expect(response.ok || response.status === 409).toBe(true);
  };
  await put('/graph/v1', { graph_id, name: 'cli' });
  const statements = Array.from({ length: count }, (_, at) => didStatement(`statement${at}`));
  await put('/statements/v1/batch', { statements, generate_id: true, graph_id });
}

/** A folder for the output and the state of a command. */
function useFolder(url: string) {
  const folder = temporaryFolder();
  const env = { CAIRN_URL: url, XDG_STATE_HOME: join(folder.path, 'state') };
  const file = join(folder.path, 'out.json');
  const state = join(folder.path, 'state', 'cairn', 'export');
  const remembered = () => (existsSync(state) ? readdirSync(state) : []);
  const args = ['export', graph, '-o', file, '--json'];
  return { path: folder.path, env, file, args, state, remembered, [Symbol.dispose]: folder[Symbol.dispose] };
}

async function manifest(): Promise<Buffer> {
  const path = `/manifest/v1?graph_ids=${graph}&include_context=true&include_blobs=true`;
  return Buffer.from(await (await fetch(service.url + path)).arrayBuffer());
}

const broken = { status: 503, body: JSON.stringify({ error: 'Broken.', code: 'unavailable' }) };
const begins = ({ headers }: { headers: Record<string, unknown> }) => headers.prefer === 'respond-async';
const isState = ({ path }: { path: string }) => /\/exports\/[^/]+$/.test(path);

describe('cairn export', () => {
  test('resumes the export of the service after an interruption', async () => {
    let verdict: Verdict = broken;
    await using gate = await openGate(service.url, (request) => (isState(request) ? verdict : 'pass'));
    using folder = useFolder(gate.url);
    expect((await cairn(folder.args, { env: folder.env })).code).toBe(3);
    expect(folder.remembered()).toHaveLength(1);

    verdict = 'pass';
    const run = await cairn(folder.args, { env: folder.env });
    expect(run.code, run.stderr).toBe(0);
    expect(JSON.parse(run.stdout)).toMatchObject({ file: folder.file, statements: 20, left_out: 0 });
    expect(gate.requests.filter(begins)).toHaveLength(1);
    expect(readFileSync(folder.file).equals(await manifest())).toBe(true);
    expect(folder.remembered()).toEqual([]);
    expect(gate.requests.filter(({ method }) => method === 'DELETE')).toHaveLength(1);
  });

  test('warns that a resumed export may be old, and starts a new one with --restart', async () => {
    const growing = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e6';
    await fill(service.url, 1, growing);
    let verdict: Verdict = broken;
    await using gate = await openGate(service.url, (request) => (isState(request) ? verdict : 'pass'));
    using folder = useFolder(gate.url);
    const args = ['export', growing, '-o', folder.file, '--json'];
    expect((await cairn(args, { env: folder.env })).code).toBe(3);
    verdict = 'pass';
    const [memory = ''] = folder.remembered();
    const kept = readFileSync(join(folder.state, memory));
    const location = `${service.url}${gate.requests.find(isState)?.path}`;
    await expect
      .poll(async () => ((await (await fetch(location)).json()) as { state: string }).state)
      .toBe('done');
    await fill(service.url, 2, growing);

    const anew = await cairn([...args, '--restart'], { env: folder.env });
    expect([anew.code, JSON.parse(anew.stdout).statements, anew.stderr]).toEqual([0, 2, '']);
    expect(folder.remembered()).toEqual([]);
    writeFileSync(join(folder.state, memory), kept);
    const old = await cairn(args, { env: folder.env });
    expect([old.code, JSON.parse(old.stdout).statements]).toEqual([0, 1]);
    expect(old.stderr).toMatch(/^Resuming the export from 20.*--restart/);
  });

  test('resumes an interrupted download, also of a new export with the same content', async () => {
    await using gate = await openGate(service.url, () => 'pass');
    using folder = useFolder(gate.url);
    await cairn(folder.args, { env: folder.env });
    const whole = readFileSync(folder.file);
    const etag = await tagOf(whole.length);
    const part = `${folder.file}.${etag.slice(-12)}.part`;
    for (const [left, range] of [
      [whole.subarray(0, 100), 'bytes=100-'],
      [whole, `bytes=${whole.length}-`],
    ] as const) {
      writeFileSync(part, left);
      const before = gate.requests.length;
      const run = await cairn(folder.args, { env: folder.env });
      expect(run.code, run.stderr).toBe(0);
      expect(gate.requests.slice(before).flatMap(({ headers }) => headers.range ?? [])).toEqual([range]);
      expect(readFileSync(folder.file).equals(whole)).toBe(true);
    }
  });

  /** The entity tag of the only manifest of this graph. */
  async function tagOf(size: number): Promise<string> {
    const path = `/manifest/v1?graph_ids=${graph}&include_context=true&include_blobs=true`;
    const accepted = await fetch(service.url + path, { headers: { prefer: 'respond-async' } });
    const location = `${service.url}${accepted.headers.get('location')}`;
    let state: { bytes: number; digest: string | null } = { bytes: 0, digest: null };
    await expect
      .poll(async () => {
        state = (await (await fetch(location)).json()) as typeof state;
        return state.digest;
      })
      .not.toBeNull();
    expect(state.bytes).toBe(size);
    return String(state.digest);
  }

  test('starts again when the service no longer has the export', async () => {
    using folder = useFolder(service.url);
    await using gate = await openGate(service.url, (request) => (isState(request) ? broken : 'pass'));
    expect((await cairn(folder.args, { env: { ...folder.env, CAIRN_URL: gate.url } })).code).toBe(3);
    const state = gate.requests.find(isState)?.path;
    expect((await fetch(service.url + state, { method: 'DELETE' })).status).toBe(204);
    const run = await cairn(folder.args, { env: folder.env });
    expect(run.code, run.stderr).toBe(0);
    expect(readFileSync(folder.file).equals(await manifest())).toBe(true);
  });

  test('reports why an export failed, exits with 1, and starts a new one the next time', async () => {
    const failed = {
      export_id: randomUUID(),
      state: 'failed',
      format: 'json',
      created_at: '2026-01-31T12:00:00.000Z',
      finished_at: '2026-01-31T12:00:01.000Z',
      expires_at: '2026-02-01T12:00:01.000Z',
      statements: 0,
      blobs: null,
      bytes: 0,
      missing_blobs: null,
      left_out_statements: 0,
      result: null,
      digest: null,
      error: { code: 'storage_full', error: 'The disk is full.' },
    };
    let verdict: Verdict = {
      status: 200,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(failed),
    };
    await using gate = await openGate(service.url, (request) => (isState(request) ? verdict : 'pass'));
    using folder = useFolder(gate.url);
    const run = await cairn(folder.args, { env: folder.env });
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('The disk is full.') });
    expect(readdirSync(folder.path)).toEqual(['state']);
    verdict = 'pass';
    expect((await cairn(folder.args, { env: folder.env })).code).toBe(0);
    expect(gate.requests.filter(begins)).toHaveLength(2);
  });

  test('leaves no file when the service sends wrong bytes', async () => {
    await using gate = await openGate(service.url, ({ path }) =>
      path.endsWith('/result') ? { status: 200, body: 'something else' } : 'pass',
    );
    using folder = useFolder(gate.url);
    const run = await cairn(folder.args, { env: folder.env });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing was written') });
    expect(existsSync(folder.file)).toBe(false);
  });

  test.each(['out.car', 'out.json', '-'])(
    'fails when a blob is damaged, and writes nothing: %s',
    async (name) => {
      using folder = temporaryFolder();
      await using damaged = await startService({ CAIRN_DATA_DIR: join(folder.path, 'data') });
      const put = await cairn(['put', '-'], { env: damaged.env, input: 'right bytes' });
      const [cid = ''] = put.stdout.split(' ');
      const statement = JSON.stringify(dataStatement(`urn:cid:${cid}`));
      await fill(damaged.url, 0);
      await cairn(['ingest', '-', '--generate-id', '--graph', graph], { env: damaged.env, input: statement });
      changeBlob(join(folder.path, 'data'), parseCid(cid), () => Buffer.from('wrong bytes'));
      const output = name === '-' ? '-' : join(folder.path, name);
      const run = await cairn(['export', graph, '-o', output], { env: damaged.env });
      expect(run.code).not.toBe(0);
      if (name !== '-') expect(run.stderr).toContain(`The blob ${cid} is damaged`);
      expect(readdirSync(folder.path)).toEqual(['data']);
    },
  );
});
