import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { formatVkey, keyTypes } from '../../src/domain/log/notes/vkey.ts';
import { completeManifest, type Named, named } from '../builders/complete-manifest.ts';
import { freshSigner } from '../builders/log-keys.ts';
import { origin } from '../builders/published-log.ts';
import { usePool } from '../builders/statement-pool.ts';
import { didStatement } from '../builders/statements.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

const pool = usePool();
const signer = freshSigner(origin);
const witness = freshSigner('witness.example', keyTypes.ed25519Cosigner);
const nonce = Buffer.alloc(32, 7);
const logKey = ['--log-key', formatVkey(signer.vkey)];
const graph = 'graph 1b4e28ba-2fa1-41d2-883f-0016d3cca427';

let folder: ReturnType<typeof temporaryFolder>;
let statements: Named[];

beforeAll(async () => {
  folder = temporaryFolder();
  statements = await named(pool.identifier, [1, 2, 3, 4].map(didStatement));
});
afterAll(() => folder[Symbol.dispose]());

function write(name: string, content: unknown): string {
  const path = join(folder.path, name);
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
}

const published = async (some: readonly Named[], options = {}) =>
  await completeManifest(some, { signer, nonce, ...options });

const verify = async (...args: string[]) => await cairn(['verify', ...args]);

describe('verify', () => {
  test('says that a manifest is complete, and until when by the clock of a witness', async () => {
    const { manifest } = await published(statements, { witnesses: [witness], at: 1_795_000_000 });
    const policy = write(
      'log.policy',
      `log ${formatVkey(signer.vkey)}\nwitness w ${formatVkey(witness.vkey)}\nquorum w\n`,
    );
    const { code, stdout, stderr } = await verify(
      write('witnessed.json', manifest),
      ...['--log-policy', policy, '--require-complete'],
    );
    expect(code, stderr).toBe(0);
    expect(stdout).toContain(
      `all 4 statements that ${graph} had at log size 4 of ${origin}, on 2026-11-18T11:06:40Z at the latest, by the clock of witness.example`,
    );
  });

  test('cannot tell whose log it is without a key, and refuses another key', async () => {
    const path = write('one.json', (await published(statements)).manifest);
    const unknown = await verify(path);
    expect(unknown.code).toBe(0);
    expect(unknown.stdout).toContain('Nobody can tell whose log it is');
    expect((await verify(path, '--require-complete')).code).toBe(1);
    const other = await verify(path, '--log-key', formatVkey(freshSigner(origin).vkey));
    expect(other.code).toBe(1);
    expect(other.stdout).toContain(`No known key has signed this. It is signed by ${origin}.`);
    expect(other.stdout).not.toContain('all 4 statements');
  });

  test('says that a statement is missing', async () => {
    const { manifest } = await published(statements);
    const { [String(statements[2]?.id)]: _, ...fewer } = manifest.statements as Record<string, unknown>;
    const { code, stdout } = await verify(write('less.json', { ...manifest, statements: fewer }), ...logKey);
    expect(code).toBe(1);
    expect(stdout).toContain(`The manifest lacks 1 of the 5 entries`);
    expect(stdout).toContain(String(statements[2]?.id));
  });
});

describe('verify --receipt', () => {
  test('finds the statement of a receipt in a complete manifest', async () => {
    const { manifest, receipt } = await published(statements);
    const path = write('whole.json', manifest);
    const { code, stdout } = await verify(
      path,
      ...logKey,
      '--receipt',
      write('a.tlog-proof', await receipt(2)),
    );
    expect(code).toBe(0);
    expect(stdout).toContain(`in the manifest: ${statements[1]?.id} is entry 2 of ${graph}`);
  });

  test('is a proof of omission if a complete manifest lacks the statement', async () => {
    const [, ...withoutFirst] = statements;
    const path = write('omitting.json', (await published(withoutFirst)).manifest);
    const { receipt } = await published(statements);
    const file = write('b.tlog-proof', await receipt(1));
    const { code, stdout } = await verify(path, ...logKey, '--receipt', file);
    expect(code).toBe(1);
    expect(stdout).toContain('PROOF OF OMISSION');
    expect(stdout).toContain(String(statements[0]?.id));
  });

  test('is a proof of two histories if entries before the statement differ', async () => {
    const [first, second, third, fourth] = statements as [Named, Named, Named, Named];
    const path = write('history.json', (await published([first, third, second, fourth])).manifest);
    const { receipt } = await published(statements);
    const { code, stdout } = await verify(
      path,
      ...logKey,
      '--receipt',
      write('c.tlog-proof', await receipt(4)),
    );
    expect(code).toBe(1);
    expect(stdout).toContain('PROOF OF TWO HISTORIES');
  });

  test('is a proof of two logs if the service keeps a second one of the graph', async () => {
    const path = write('first-log.json', (await published(statements)).manifest);
    const { receipt } = await published(statements, { nonce: Buffer.alloc(32, 8) });
    const { code, stdout } = await verify(
      path,
      ...logKey,
      '--receipt',
      write('d.tlog-proof', await receipt(1)),
    );
    expect(code).toBe(1);
    expect(stdout).toContain('PROOF OF TWO LOGS');
  });

  test('passes a statement that came later', async () => {
    const path = write('early.json', (await published(statements.slice(0, 2))).manifest);
    const { receipt } = await published(statements);
    const { code, stdout } = await verify(
      path,
      ...logKey,
      '--receipt',
      write('e.tlog-proof', await receipt(4)),
    );
    expect(code).toBe(0);
    expect(stdout).toContain('later than the manifest:');
  });

  test('cannot tell about a graph that the manifest does not have as a whole', async () => {
    const path = write('other.json', (await published(statements)).manifest);
    const { receipt } = await published(statements, { log: 'statements' });
    const { code, stdout } = await verify(
      path,
      ...logKey,
      '--receipt',
      write('f.tlog-proof', await receipt(4)),
    );
    expect(code).toBe(1);
    expect(stdout).toContain('CANNOT TELL');
  });
});

describe('verify of receipts', () => {
  test('works offline with a statement, with an id, and alone', async () => {
    const { receipt } = await published(statements);
    const [first] = statements;
    const proof = write('g.tlog-proof', await receipt(1));
    const alone = await verify(proof, ...logKey);
    expect(alone.stdout).toContain(`${first?.id} is entry 1 of ${graph} and in the log ${origin} at size 4`);
    const statement = write('statement.json', first?.statement);
    const both = await verify(statement, '--receipt', proof, ...logKey);
    expect(both.code, both.stderr).toBe(0);
    expect(both.stdout).toContain('is entry 1 of');
    expect((await verify(proof, '--cid', String(first?.id), ...logKey)).code).toBe(0);
  });

  test('refuses that of another statement', async () => {
    const { receipt } = await published(statements);
    const proof = write('h.tlog-proof', await receipt(2));
    const { code, stdout } = await verify(
      write('s.json', statements[0]?.statement),
      '--receipt',
      proof,
      ...logKey,
    );
    expect(code).toBe(1);
    expect(stdout).toContain(`The receipt is of another statement: ${statements[1]?.id}`);
  });

  test('counts many, and names the lines that are wrong', async () => {
    const { receipt } = await published(statements);
    const line = async (index: number) =>
      JSON.stringify({
        ...{ statement_id: '', jcs_cid: '', graph_id: null },
        receipt: await receipt(index),
      });
    const damaged = (await line(3)).replace('index 3', 'index 4');
    const lines = [await line(1), await line(2), damaged, '{"receipt": 1}', 'x'.repeat(2_000_000)];
    const { code, stdout } = await verify(write('receipts.jsonl', `${lines.join('\n')}\n`), ...logKey);
    expect(code).toBe(1);
    expect(stdout).toContain('line 3: FAILED');
    expect(stdout).toContain('line 4: FAILED\n  The line is not a receipt.');
    expect(stdout).toContain('line 5: FAILED\n  The line is not a receipt.');
    expect(stdout).toContain('5 receipts, 3 failed');
  });
});

describe('log compare', () => {
  const compare = async (older: string, newer: string, ...more: string[]) =>
    await cairn(['log', 'compare', older, newer, ...logKey, ...more]);

  test('shows that a newer manifest begins with the older one', async () => {
    const older = write('older.json', (await published(statements.slice(0, 3))).manifest);
    const newer = write('newer.json', (await published(statements)).manifest);
    const { code, stdout } = await compare(older, newer);
    expect(code).toBe(0);
    expect(stdout).toContain(`${graph}: begins with the same 4 entries, and has 1 more`);
    const swapped = await compare(newer, older);
    expect(swapped.code).toBe(1);
    expect(swapped.stdout).toContain('ENDS EARLIER by 1 entry');
    expect(swapped.stdout).toContain(`gone: ${statements[3]?.id}`);
  });

  test('follows a log that goes on under another name, as after a restore', async () => {
    const [first, second, third, fourth] = statements as [Named, Named, Named, Named];
    const renamed = freshSigner(`${origin}/since-2026-11-24`);
    const under = async (some: readonly Named[]) => (await published(some, { signer: renamed })).manifest;
    const keys = ['--log-key', formatVkey(renamed.vkey)];
    const older = write('old-name.json', (await published([first, second])).manifest);
    const grown = write('new-name.json', await under([first, second, third]));
    const { code, stdout } = await compare(older, grown, ...keys);
    expect([code, stdout]).toEqual([
      0,
      expect.stringContaining('begins with the same 3 entries, and has 1 more'),
    ]);
    expect(stdout).toContain(`The log is called ${origin}/since-2026-11-24 now.`);
    const other = await compare(older, write('restored.json', await under([first, fourth])), ...keys);
    expect([other.code, other.stdout]).toEqual([
      1,
      expect.stringContaining('DIFFERS from entry 2 on. The log is called'),
    ]);
    expect(other.stdout).not.toContain('two histories');
  });

  test('shows both checkpoints if something was replaced', async () => {
    const [first, second, third, fourth] = statements as [Named, Named, Named, Named];
    const older = write('before.json', (await published([first, second, third])).manifest);
    const newer = write('after.json', (await published([first, fourth, third])).manifest);
    const { code, stdout } = await compare(older, newer);
    expect(code).toBe(1);
    expect(stdout).toContain(`${graph}: DIFFERS from entry 2 on`);
    expect(stdout).toContain(`gone: ${second.id}`);
    expect(stdout.split(`\n${origin}\n`)).toHaveLength(3);
  });

  test('compares statements if there are no logs', async () => {
    const [first, second] = statements as [Named, Named];
    const plain = (some: Named[]) => ({
      ...{ version: '3', contexts: {}, blobs: {} },
      statements: Object.fromEntries(some.map(({ id, statement }) => [id, statement])),
    });
    const { code, stdout } = await compare(write('x.json', plain([first])), write('y.json', plain([second])));
    expect(code).toBe(1);
    expect(stdout).toContain(`gone: ${first.id}`);
  });
});
