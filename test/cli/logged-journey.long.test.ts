import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { didStatements, ndjson } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
let service: Service;
let folder: ReturnType<typeof temporaryFolder>;
let logKey: string;
beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ graph_id: graph, name: 'release' });
  await fetch(`${service.url}/graph/v1`, { method: 'PUT', headers, body });
  logKey = (await (await fetch(`${service.url}/log/v1/key`)).text()).trim();
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

const offline = { CAIRN_URL: 'http://127.0.0.1:9' };
const file = (name: string) => join(folder.path, name);
const online = async (...args: string[]) => await cairn(args, { env: service.env });
const verify = async (...args: string[]) =>
  await cairn(['verify', ...args, '--log-key', logKey], { env: offline });

test('receipts of what was sent show later that an export leaves something out', async () => {
  writeFileSync(file('all.ndjson'), ndjson(didStatements(40, 'sent')));
  writeFileSync(file('receipts.jsonl'), '{"statement_id":"half of a li');
  const sent = await online(
    ...['ingest', file('all.ndjson'), '--generate-id', '--graph', graph],
    ...['--batch', '15', '--receipts', file('receipts.jsonl')],
  );
  expect(sent.code, sent.stderr).toBe(0);
  expect(readFileSync(file('receipts.jsonl'), 'utf8').trim().split('\n')).toHaveLength(40);
  const receipts = await verify(file('receipts.jsonl'));
  expect(receipts.stdout).toBe('40 receipts, 0 failed\n');

  for (const name of ['evidence.json', 'evidence.car']) {
    const exported = await online('export', graph, '-o', file(name), '--proofs');
    expect(exported.code, exported.stderr).toBe(0);
    const whole = await verify(file(name), '--require-complete', '--receipt', file('receipts.jsonl'));
    expect(whole.code, whole.stdout).toBe(0);
    expect(whole.stdout).toContain(`all 40 statements that graph ${graph} had at log size`);
  }

  appendFileSync(file('all.ndjson'), `\n${ndjson(didStatements(2, 'later'))}`);
  await online('ingest', file('all.ndjson'), '--generate-id', '--graph', graph);
  await online('export', graph, '-o', file('newer.json'), '--proofs');
  const compared = await cairn(
    ['log', 'compare', file('evidence.json'), file('newer.json'), '--log-key', logKey],
    { env: offline },
  );
  expect(compared.stdout).toContain('begins with the same 40 entries, and has 2 more');
  expect(compared.code).toBe(0);

  const manifest = JSON.parse(readFileSync(file('newer.json'), 'utf8'));
  delete manifest.statements[Object.keys(manifest.statements)[0] ?? ''];
  writeFileSync(file('less.json'), JSON.stringify(manifest));
  const less = await verify(file('less.json'));
  expect(less.code).toBe(1);
  expect(less.stdout).toContain('The manifest lacks 1 of the 42 entries');
});
