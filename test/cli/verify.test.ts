import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { didStatement, ndjson } from '../builders/statements.ts';
import { openGate } from './gate.ts';
import { cairn, type Environment, type Service, startService, temporaryFolder } from './run-cairn.ts';

const foreignContext = '{"@context":{"name":"https://schema.org/name"}}';
const foreignUrl = 'https://contexts.example/v1';
const foreign = {
  '@context': foreignUrl,
  '@type': 'https://schema.org/Thing',
  name: 'foreign',
  note: 'not a term',
};
/** Without a service. */
const offline = { CAIRN_URL: 'http://127.0.0.1:9' };

let service: Service;
let folder: ReturnType<typeof temporaryFolder>;
let ids: { id: string; jcs_cid: string; statement: Record<string, unknown> };

beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  const computed = await send('POST', '/utils/v1/integrity/statement/compute-id', {
    statement: didStatement('verified'),
  });
  ids = (await computed.json()) as typeof ids;
  await send('PUT', '/statements/v1', { statement: ids.statement });
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function send(method: string, path: string, body: unknown): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return await fetch(service.url + path, { method, headers, body: JSON.stringify(body) });
}

function file(name: string, content: string): string {
  const path = join(folder.path, name);
  writeFileSync(path, content);
  return path;
}

async function verify(target: string, args: readonly string[] = [], env: Environment = offline) {
  return await cairn(['verify', target, ...args], { env });
}

async function report(target: string, args: readonly string[] = [], env: Environment = offline) {
  const { code, stdout } = await verify(target, ['--json', ...args], env);
  return {
    code,
    reports: stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line)),
  };
}

describe.concurrent('cairn verify, offline', () => {
  test('recomputes both CIDs of a statement', async () => {
    const path = file('good.json', JSON.stringify(ids.statement, null, 2));
    const { code, reports } = await report(path, ['--cid', ids.jcs_cid, '--cid', ids.id]);
    expect(code).toBe(0);
    expect(reports).toEqual([
      expect.objectContaining({ ok: true, compared: 3, id: ids.id, jcs_cid: ids.jcs_cid, faults: [] }),
    ]);
    expect((await verify(path)).stdout).toMatch(/good\.json: verified\n/);
  });

  test('reports the place and both ids if one byte has changed', async () => {
    const path = file(
      'changed.json',
      JSON.stringify(ids.statement).replace('did:example:verified', 'did:example:Verified'),
    );
    const { code, reports } = await report(path);
    expect(code).toBe(1);
    expect(reports[0]).toMatchObject({ ok: false, faults: [{ pointer: '/@id', given: ids.id }] });
    expect(reports[0].faults[0].computed).toBe(reports[0].id);
    const asText = await verify(path);
    expect(asText.stdout).toMatch(/FAILED[\s\S]*at \/@id: [\s\S]*given +urn:cid:[\s\S]*computed +urn:cid:/);
  });

  test('exits with 1 when there is nothing to compare with, and says how to name a CID', async () => {
    const statement = file('without-id.json', JSON.stringify(didStatement('without an id')));
    const lines = file('without-ids.ndjson', ndjson([ids.statement, didStatement('without an id')]));
    for (const path of [statement, lines, file('blob.bin', 'abc')]) {
      const run = await verify(path);
      expect(run.code, run.stdout).toBe(1);
      expect(run.stderr).toMatch(/^Nothing .*--cid/);
    }
    expect((await verify(statement)).stdout).toContain('nothing to compare with');
    expect((await report(statement)).reports[0]).toMatchObject({ ok: false, compared: 0, faults: [] });
    const whole = cidOf(codecs.raw, ndjson([ids.statement, didStatement('without an id')])).text;
    expect((await verify(lines, ['--cid', whole])).code).toBe(0);
  });

  test('compares a blob with a CID of either hash and with its file name', async () => {
    const blob = cidOf(codecs.raw, 'abc').text;
    const sha256 = 'bafkreif2pall7dybz7vecqka3zo24irdwabwdi4wc55jznaq75q7eaavvu';
    const path = file('three.bin', 'abc');
    expect((await report(path, ['--cid', blob, '--cid', sha256])).code).toBe(0);
    expect((await report(file(`${blob}.txt`, 'abc'))).reports[0]).toMatchObject({ ok: true, compared: 1 });
    const other = await report(file(`${blob}.bin`, 'abd'));
    expect(other).toMatchObject({
      code: 1,
      reports: [{ ok: false, faults: [{ given: blob, computed: cidOf(codecs.raw, 'abd').text }] }],
    });
    expect((await verify(path, ['--cid', 'nonsense'])).code).toBe(2);
  });

  test('reports the problem of ambiguous JSON', async () => {
    const path = file(
      'twice.json',
      JSON.stringify(ids.statement).replace('{', '{"did":"did:example:other",'),
    );
    const { code, reports } = await report(path);
    expect({ code, fault: reports[0].faults[0] }).toMatchObject({
      code: 1,
      fault: { pointer: '/did', reason: expect.stringContaining('repeated') },
    });
  });

  test('verifies each line of an NDJSON file and reports failed lines', async () => {
    const changed = { ...ids.statement, timestamp: '2026-01-31T12:00:01Z' };
    const path = file('lines.ndjson', `${ndjson([ids.statement])}\n${ndjson([changed, ids.statement])}{"cut`);
    const run = await verify(path);
    expect(run.code).toBe(1);
    expect(run.stdout).toMatch(
      /lines\.ndjson, line 3: FAILED[\s\S]*lines\.ndjson, line 5: FAILED[\s\S]*\n4 statements, 2 failed\n$/,
    );
    expect((await report(path)).reports.map(({ line, ok }) => [line, ok])).toEqual([
      [1, true],
      [3, false],
      [4, true],
      [5, false],
    ]);
  });

  test('needs the contexts of a statement, and says how to provide them', async () => {
    const path = file('foreign.json', JSON.stringify(foreign));
    const unknown = await verify(path);
    expect(unknown).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/https:\/\/contexts\.example\/v1 is not known here.*--contexts/),
    });
    const contexts = join(folder.path, 'contexts');
    mkdirSync(join(contexts, 'https', 'contexts.example'), { recursive: true });
    writeFileSync(join(contexts, 'https', 'contexts.example', 'v1'), foreignContext);
    const { reports } = await report(path, ['--contexts', contexts]);
    const args = ['--cid', reports[0].rdfc_cid];
    const known = await report(path, ['--contexts', contexts, ...args]);
    expect(known).toMatchObject({ code: 0, reports: [{ uncovered: [{ pointer: '/note' }] }] });
    expect((await report(path, args, { ...offline, CAIRN_CONTEXTS_DIR: contexts })).reports).toEqual(
      known.reports,
    );
    expect((await verify(path, ['--contexts', path])).code).toBe(2);
  });

  test('exits with 2 if the target is neither a file nor a CID', async () => {
    expect(await verify('nothing')).toMatchObject({
      code: 2,
      stderr: '"nothing" is neither a file that exists nor a CID.\n',
    });
    expect((await verify(folder.path)).code).toBe(2);
  });
});

describe.concurrent('cairn verify, what the service has', () => {
  test('recomputes a statement by either of its CIDs', async () => {
    const byId = await report(ids.id, [], service.env);
    expect(byId).toMatchObject({
      code: 0,
      reports: [{ kind: 'statement', ok: true, id: ids.id, jcs_cid: ids.jcs_cid }],
    });
    expect((await report(ids.jcs_cid, [], service.env)).reports).toMatchObject([
      { kind: 'statement', ok: true },
    ]);
  });

  test('recomputes blobs and stored JSON', async () => {
    const { cid } = (await (await send('PUT', '/store/v1/jcs', { any: 'json' })).json()) as { cid: string };
    expect((await report(cid, [], service.env)).reports).toMatchObject([{ kind: 'blob', ok: true }]);
    const raw = cidOf(codecs.raw, '{"any":"json"}').text;
    expect((await report(raw, [], service.env)).reports).toMatchObject([{ kind: 'blob', ok: true }]);
  });

  test('fetches contexts with a CID as URL', async () => {
    const url = `urn:cid:${cidOf(codecs.raw, foreignContext).text}`;
    await fetch(`${service.url}/store/v1/blob`, {
      method: 'PUT',
      body: new TextEncoder().encode(foreignContext),
    });
    const request = { statement: { ...foreign, '@context': url }, generate_id: true };
    const { rdfc_cid } = (await (await send('PUT', '/statements/v1', request)).json()) as {
      rdfc_cid: string;
    };
    expect(await report(rdfc_cid, [], service.env)).toMatchObject({
      code: 0,
      reports: [{ ok: true, uncovered: [{ pointer: '/note' }] }],
    });
  });

  test('exits with 1 if the service answers other content', async () => {
    const other = JSON.stringify({ ...ids.statement, did: 'did:example:forged' });
    await using gate = await openGate(service.url, () => ({ status: 200, body: other }));
    const { code, reports } = await report(ids.id, [], { CAIRN_URL: gate.url });
    expect({ code, faults: reports[0].faults }).toMatchObject({
      code: 1,
      faults: [{ pointer: '/@id' }, { given: ids.id.slice('urn:cid:'.length) }],
    });
  });

  test('exits with 1 for missing content and with 3 without a service', async () => {
    expect(await verify(cidOf(codecs.rdfc, 'unknown').text, [], service.env)).toMatchObject({
      code: 1,
      stdout: '',
    });
    expect(await verify(ids.id)).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringContaining('cannot be reached'),
    });
  });
});
