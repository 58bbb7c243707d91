import { appendFileSync, existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { didStatement, didStatements, ndjson } from '../builders/statements.ts';
import { type GateRequest, openGate, type Verdict } from './gate.ts';
import {
  cairn,
  type Environment,
  type Service,
  said,
  startCairn,
  startService,
  temporaryFolder,
} from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';

let service: Service;
beforeAll(async () => {
  service = await startService({ CAIRN_MAX_STATEMENT_BYTES: '2000', CAIRN_MAX_BATCH_STATEMENTS: '50' });
});
afterAll(async () => await service[Symbol.asyncDispose]());

function countOf({ body }: GateRequest): number {
  return JSON.parse(body.toString()).statements.length;
}

async function ingest(file: string, args: readonly string[], env: Environment = {}) {
  return await cairn(['ingest', file, '--generate-id', ...args], { env: { ...service.env, ...env } });
}

describe.concurrent('cairn ingest', () => {
  test('stores a file, and reports it as known the second time', async () => {
    using folder = temporaryFolder();
    const file = join(folder.path, 'all.ndjson');
    writeFileSync(
      file,
      `\ufeff${ndjson(didStatements(120))}\n  \n${JSON.stringify(didStatement('last-without-a-line-feed'))}`,
    );
    const first = await ingest(file, ['--batch', '40']);
    expect(first).toMatchObject({ code: 0, stderr: expect.stringContaining('without a graph') });
    expect(first.stdout).toMatch(/^121 stored, 0 known, 0 refused; /);
    const second = await ingest(file, ['--json']);
    expect(second.code).toBe(0);
    const told = second.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(told.at(-1).summary).toMatchObject({ stored: 0, known: 121, refused: 0 });
    const ids = told.slice(0, -1).map(({ stored }) => stored);
    expect(ids.map(({ line }) => line)).toEqual([...Array.from({ length: 120 }, (_, at) => at + 1), 123]);
    const { statement_id: id } = ids.at(-1);
    const answer = await fetch(`${service.url}/statements/v1/id/${id}`);
    expect(await answer.json()).toMatchObject({ did: 'did:example:last-without-a-line-feed' });
    expect((await ingest(file, ['-v'])).stdout).toContain(`\n${id}  line 123\n`);
  });

  test('--sign signs every statement, so that the service need not be trusted', async () => {
    using folder = temporaryFolder();
    const [file, keyFile] = [join(folder.path, 'signed.ndjson'), join(folder.path, 'key.json')];
    const did = (await cairn(['key', 'create', keyFile])).stdout.trim();
    const statements = didStatements(30, 'signed').map((statement) => ({ ...statement, registeredBy: did }));
    writeFileSync(file, `${ndjson(statements)}\n{"wrong": true}`);
    const first = await ingest(file, ['--sign', keyFile, '--batch', '20']);
    expect(first).toMatchObject({ code: 1 });
    expect(first.stdout).toMatch(/^30 stored, 0 known, 1 refused; /);
    const found = await fetch(`${service.url}/statements/v1?registered_by=${did}&limit=100`);
    const { statements: stored } = (await found.json()) as { statements: { type: string; trust: object }[] };
    expect(stored.map(({ type }) => type === 'CredentialRegistration').filter(Boolean)).toHaveLength(30);
    const trust = { state: 'signed', by: did, by_registrant: true, valid: true };
    expect(stored.map((one) => one.trust)).toEqual(Array.from({ length: 60 }, () => trust));
    const again = await ingest(file, ['--sign', keyFile]);
    expect(again.stdout).toMatch(/^0 stored, 30 known, 1 refused; /);
    const without = await ingest(file, ['--sign', join(folder.path, 'no-key.json')]);
    expect([without.code, without.stderr]).toEqual([2, expect.stringContaining('cairn key create')]);
  });

  test('reads standard input and registers under a graph', async () => {
    const register = { graph_id: graph, name: 'ingested' };
    await fetch(`${service.url}/graph/v1`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(register),
    });
    const input = ndjson(didStatements(3, 'graph'));
    const run = await cairn(['ingest', '-', '--generate-id', '--graph', graph], { env: service.env, input });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    const listed = await fetch(`${service.url}/graph/v1`).then((answer) => answer.json());
    expect(listed).toMatchObject({ graphs: [{ graph_id: graph, statements: 3 }] });
  });

  test('sends lines byte for byte', async () => {
    await using gate = await openGate(service.url, () => 'pass');
    const line = `  ${JSON.stringify(didStatement('spaced'), null, 1).replaceAll('\n', ' ')} \r`;
    const run = await cairn(['ingest', '-', '--generate-id'], {
      env: { CAIRN_URL: gate.url },
      input: `${line}\n`,
    });
    expect(run.code).toBe(0);
    expect(gate.requests[0]?.body.toString()).toContain(line);
  });

  test('reports each refused line and stores the others', async () => {
    const { timestamp: _, ...incomplete } = didStatement('incomplete');
    const lines = [
      JSON.stringify(didStatement('good1')),
      '{"@context": ',
      JSON.stringify(incomplete),
      JSON.stringify({ '@context': 'https://unknown.example/v1', '@type': 'Foreign' }),
      '',
      '{"a": 1}, {"b": 2}',
      JSON.stringify({ ...didStatement('long'), did: `did:example:${'x'.repeat(2_000)}` }),
      '[]',
      JSON.stringify(didStatement('good2')),
    ];
    const input = Buffer.concat([
      Buffer.from(`${lines.join('\n')}\n`),
      Buffer.from([0x22, 0xff, 0x22, 0x0a]),
    ]);
    const run = await cairn(['ingest', '-', '--generate-id', '--json'], { env: service.env, input });
    expect(run.code).toBe(1);
    const told = run.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    const refusals = told.flatMap(({ refused }) => refused ?? []);
    expect(told.flatMap(({ stored }) => stored?.line ?? [])).toEqual([1, 9]);
    expect(refusals.map(({ line, code, pointer }) => [line, code, pointer])).toEqual([
      [2, 'invalid_json', undefined],
      [3, 'invalid_statement', '/timestamp'],
      [4, 'unknown_context', undefined],
      [6, 'invalid_json', undefined],
      [7, 'too_large', undefined],
      [8, 'invalid_statement', undefined],
      [10, 'invalid_json', undefined],
    ]);
    expect(told.at(-1).summary).toMatchObject({ stored: 2, known: 0, refused: 7 });
  });

  test.each([
    ['pretty-printed JSON', JSON.stringify(didStatement('pretty'), null, 2), 'jq -c . '],
    ['a pretty-printed list', JSON.stringify(didStatements(2), null, 2), "jq -c '.[]' "],
    ['CSV', 'did,name\ndid:example:1,one\ndid:example:2,two\n', 'one JSON statement per line'],
    ['a list of numbers', '1\n2\n3\n', 'one JSON statement per line'],
  ])('refuses %s with one message', async (_what, text, advice) => {
    await using gate = await openGate(service.url, () => 'pass');
    const run = await cairn(['ingest', '-'], { env: { CAIRN_URL: gate.url }, input: text });
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining(advice) });
    expect(run.stderr).toContain('one JSON statement per line');
    expect(run.stderr.trimEnd().split('\n')).toHaveLength(1);
    expect(gate.requests).toHaveLength(0);
  });

  test('shows what is wrong with each member of a line', async () => {
    const wrong = { ...didStatement('wrong'), did: undefined, timestamp: undefined, registeredBy: 'me' };
    const run = await cairn(['ingest', '-', '--generate-id'], { env: service.env, input: ndjson([wrong]) });
    expect(run.stderr).toContain('line 1: invalid_statement');
    expect(run.stderr).toContain('timestamp and did are missing. registeredBy must be a DID, such as');
  });

  test('names the option that computes missing ids', async () => {
    const run = await cairn(['ingest', '-'], { env: service.env, input: ndjson([{ a: 1 }]) });
    expect(run.code).toBe(1);
    expect(run.stderr).toMatch(
      /^line 1: missing_id: .* Here that is --generate-id\.\n1 line was refused\.\n$/,
    );
  });

  test('reports the line of a wrong @id, even if it is the only line', async () => {
    const input = ndjson([{ ...didStatement('wrong-id'), '@id': 'urn:cid:wrong' }]);
    const run = await cairn(['ingest', '-'], { env: service.env, input });
    expect(run).toMatchObject({ code: 1, stderr: expect.stringMatching(/^line 1: id_mismatch at \/@id: /) });
  });

  test('stores more than a hundred good lines between more than a hundred bad ones', async () => {
    const input = ndjson(
      didStatements(110, 'mixed').flatMap((good) => [good, { ...good, timestamp: 'never' }]),
    );
    const run = await cairn(['ingest', '-', '--generate-id', '--json'], { env: service.env, input });
    expect(run.code).toBe(1);
    expect(JSON.parse(run.stdout.trimEnd().split('\n').at(-1) ?? '').summary).toMatchObject({
      stored: 110,
      refused: 110,
    });
  });

  test('stops at once when the service refuses everything', async () => {
    const unknownGraph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e5';
    const input = ndjson(didStatements(3));
    const run = await cairn(['ingest', '-', '--generate-id', '--graph', unknownGraph], {
      env: service.env,
      input,
    });
    expect(run).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`The graph ${unknownGraph} is not registered`),
    });
  });

  test('refuses an unknown graph and a missing file', async () => {
    const mine = await cairn(['ingest', '-', '--graph', 'mine'], { env: service.env, input: '' });
    expect([mine.code, mine.stderr]).toEqual([1, expect.stringContaining('No graph is called "mine"')]);
    expect((await cairn(['ingest', 'gone.ndjson'])).code).toBe(2);
  });

  test('sends a batch again when its connection was lost', async () => {
    await using gate = await openGate(service.url, ({ earlier }) => (earlier === 1 ? 'lose' : 'pass'));
    const run = await cairn(['ingest', '-', '--generate-id', '--batch', '10', '--concurrency', '1'], {
      env: { CAIRN_URL: gate.url },
      input: ndjson(didStatements(30, 'lost-connection')),
    });
    expect(run, run.stderr).toMatchObject({ code: 0, stdout: expect.stringMatching(/^30 stored, /) });
    expect(run.stderr).toContain('Sending the request again in 0.5 s.');
    expect(gate.requests.map(countOf)).toEqual([10, 10, 10, 10]);
  });

  test('exits with 3 at once if there is no service', async () => {
    const run = await cairn(['ingest', '-', '--generate-id'], {
      env: { CAIRN_URL: 'http://127.0.0.1:9' },
      input: ndjson([didStatement('x')]),
    });
    expect(run).toMatchObject({ code: 3, stderr: expect.stringContaining('cannot be reached') });
  });
});

describe.concurrent('an interrupted cairn ingest', () => {
  const args = ['--generate-id', '--batch', '10', '--concurrency', '1'];

  const broken = { status: 503, body: JSON.stringify({ error: 'Broken.', code: 'unavailable' }) };

  /** Lets two requests pass. The third waits for a decision; later ones pass. */
  async function interruptible(prefix: string) {
    const folder = temporaryFolder();
    const file = join(folder.path, 'statements.ndjson');
    writeFileSync(file, ndjson(didStatements(50, prefix)));
    const third = Promise.withResolvers<void>();
    const release = Promise.withResolvers<Verdict>();
    let isOpen = false;
    const gate = await openGate(service.url, async ({ earlier }) => {
      if (isOpen || earlier < 2) return 'pass';
      third.resolve();
      return await release.promise;
    });
    const env = { CAIRN_URL: gate.url, XDG_STATE_HOME: join(folder.path, 'state') };
    const running = startCairn(['ingest', file, ...args], { env });
    await third.promise;
    isOpen = true;
    const again = async (...more: string[]) => await cairn(['ingest', file, ...args, ...more], { env });
    const dispose = async () => {
      await gate[Symbol.asyncDispose]();
      folder[Symbol.dispose]();
    };
    return { ...running, gate, file, env, again, release: release.resolve, [Symbol.asyncDispose]: dispose };
  }

  test('resumes after the acknowledged lines, and removes its state when done', async () => {
    await using work = await interruptible('failed');
    work.release(broken);
    expect((await work.done).code).toBe(3);
    const run = await work.again();
    expect(run).toMatchObject({ code: 0, stderr: expect.stringContaining('Resuming after line 20.') });
    expect(run.stdout).toMatch(/^50 stored, 0 known, 0 refused; /);
    expect(work.gate.requests.map(countOf)).toEqual([10, 10, 10, 10, 10, 10]);
    expect(work.gate.requests[3]?.body.toString()).toContain('did:example:failed20"');
    expect(readdirSync(join(work.env.XDG_STATE_HOME, 'cairn', 'ingest'))).toEqual([]);
  });

  test('finishes running requests after SIGINT and says how to resume', async () => {
    await using work = await interruptible('stopped');
    work.stop('SIGINT');
    // The answer is held back until the command says that it stops.
    await said(work, /(Stopping)/);
    work.release('pass');
    const { code, stdout, stderr } = await work.done;
    expect({ code, stderr }).toEqual({
      code: 130,
      stderr: expect.stringContaining('Run the same command again to resume'),
    });
    expect(stdout).toMatch(/^30 stored, 0 known, 0 refused; /);
    expect((await work.again()).stdout).toMatch(/^50 stored, /);
    expect(work.gate.requests.map(countOf)).toEqual([10, 10, 10, 10, 10]);
  });

  test('starts again if the file has changed, or with --restart', async () => {
    await using work = await interruptible('changed');
    work.release(broken);
    expect((await work.done).code).toBe(3);
    expect((await work.again('--restart')).stdout).toMatch(/^30 stored, 20 known, /);
    expect(existsSync(join(work.env.XDG_STATE_HOME, 'cairn', 'ingest'))).toBe(true);
    appendFileSync(work.file, ndjson(didStatements(1, 'appended')));
    expect((await work.again()).stdout).toMatch(/^1 stored, 50 known, /);
  });
});
