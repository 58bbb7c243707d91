import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { didStatements, ndjson } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

test('a folder gets a graph, which ingestion and export then use, here and below', async () => {
  using folder = temporaryFolder();
  const cwd = join(folder.path, 'below');
  mkdirSync(cwd);
  const run = async (args: readonly string[], at = cwd, input?: string) =>
    await cairn(args, { env: service.env, cwd: at, ...(input !== undefined && { input }) });
  const file = join(folder.path, 'all.json');

  const nothing = await run(['export', '--all', '-o', file]);
  expect([nothing.code, nothing.stderr]).toEqual([1, expect.stringContaining('nothing to export')]);
  expect((await run(['export', '--all', '-o', '-'])).code).toBe(1);
  const lost = await run(['ingest', '-', '--generate-id'], cwd, ndjson(didStatements(2, 'lost')));
  expect([lost.code, lost.stderr]).toEqual([0, expect.stringMatching(/without a graph[\s\S]*cairn init/)]);

  const first = await run(['init'], folder.path);
  expect(first, first.stderr).toMatchObject({ code: 0, stderr: expect.stringContaining('Made your key') });
  expect(first.stdout).toContain(`Made the graph "${basename(folder.path)}"`);
  expect(first.stdout).toContain(`call the service at ${service.url}.`);
  const kept = readFileSync(join(folder.path, 'cairn.json'), 'utf8');
  const { graph, url } = JSON.parse(kept);
  expect(url).toBe(service.url);
  const again = await run(['init', 'another name'], folder.path);
  expect(again).toMatchObject({ code: 0, stderr: '' });
  expect(again.stdout).toContain(`uses the graph "${basename(folder.path)}" (${graph})`);
  expect(readFileSync(join(folder.path, 'cairn.json'), 'utf8')).toBe(kept);

  const found = await run(['ingest', '-', '--generate-id'], cwd, ndjson(didStatements(3, 'found')));
  expect(found).toMatchObject({ code: 0, stderr: '' });
  const exported = await run(['export', '-o', file, '--json']);
  expect(JSON.parse(exported.stdout)).toMatchObject({ statements: 3, in_no_graph: { statements: 2 } });
  expect(exported.stderr).toContain('2 statements are in no graph. --all exports them too.');
  const everything = await run(['export', '--all', '-o', file, '--json']);
  expect(everything.code, everything.stderr).toBe(0);
  expect(everything.stderr).not.toContain('in no graph');
  expect(JSON.parse(everything.stdout)).toMatchObject({ statements: 5 });
  expect(existsSync(file)).toBe(true);
});

test('a graph is listed whatever the version in its UUID', async () => {
  const id = '11111111-1111-1111-1111-111111111111';
  const body = JSON.stringify({ graph_id: `urn:uuid:${id}`, name: 'of no version' });
  const headers = { 'content-type': 'application/json' };
  const registered = await fetch(`${service.url}/graph/v1`, { method: 'PUT', headers, body });
  expect(registered.status).toBe(201);
  const run = await cairn(['graph', 'list'], { env: service.env });
  expect(run).toMatchObject({ code: 0, stdout: expect.stringContaining(id) });
});

test.each([
  ['nonsense', 'it is not JSON.'],
  ['[]', 'it is not a JSON object.'],
  ['{"graph": "x"}', '"graph" must be the UUID of a graph.'],
])('a cairn.json with %s is refused, and the message says what to do', async (text, problem) => {
  using folder = temporaryFolder();
  const path = join(folder.path, 'cairn.json');
  writeFileSync(path, text);
  const run = await cairn(['graph', 'list'], { env: service.env, cwd: folder.path });
  const stderr = `${path} cannot be used: ${problem} Repair it, or remove it and run "cairn init" again.\n`;
  expect(run).toMatchObject({ code: 2, stderr });
});

test('graphs are made, listed and shown by name', async () => {
  const run = async (...args: string[]) => await cairn(['graph', ...args], { env: service.env });
  const id = (await run('create', 'Credit model')).stdout.trim();
  const child = (await run('create', 'Run 42', '--parent', 'Credit model')).stdout.trim();
  const input = ndjson(didStatements(2, 'named'));
  await cairn(['ingest', '-', '--generate-id', '--graph', 'Run 42'], { env: service.env, input });
  expect((await run('list')).stdout).toMatch(
    new RegExp(`^GRAPH [\\s\\S]*\n${id}  0 +its own  Credit model\n$`),
  );
  expect((await run('show', 'Credit model')).stdout).toContain(`${child}  2`);
  expect(JSON.parse((await run('show', child, '--json')).stdout)).toEqual({
    graph: { graph_id: child, name: 'Run 42', parent_id: id, project_id: id, statements: 2 },
    graphs: [],
  });
  expect(await run('show', 'No model')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('No graph'),
  });
  using folder = temporaryFolder();
  const file = join(folder.path, 'run.json');
  await cairn(['export', 'Run 42', '-o', file], { env: service.env });
  const name = ['--name', 'Run 42 again', '--parent', 'Credit model'];
  expect(await cairn(['import', file, ...name], { env: service.env })).toMatchObject({ code: 0 });
  expect((await run('show', 'Credit model')).stdout).toContain('Run 42 again');
  await run('create', 'Credit model');
  const ambiguous = await run('show', 'Credit model');
  expect([ambiguous.code, ambiguous.stderr]).toEqual([2, expect.stringContaining(id)]);
});
