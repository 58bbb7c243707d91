import { appendFileSync, existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import { filledFolder } from './migrate-samples.ts';
import { cairn, startService, temporaryFolder } from './run-cairn.ts';

/** A filled data folder, and the command on it. */
async function useFolder() {
  const folder = temporaryFolder();
  const data = join(folder.path, 'data');
  const env = { CAIRN_WORKERS: '1', CAIRN_DATA_DIR: data };
  const filled = await filledFolder(data);
  const fsck = async (...args: string[]) => await cairn(['fsck', ...args], { env });
  return { data, filled, fsck, [Symbol.dispose]: folder[Symbol.dispose] };
}

function damageCount(data: string): void {
  const database = new DatabaseSync(join(data, 'cairn.db'));
  database.exec('UPDATE graphs SET statements = statements + 1');
  database.close();
}

const lines = (text: string) => text.trimEnd().split('\n');

describe('cairn fsck', () => {
  test('ends with 0 on a sound store, and says what it has looked at', async () => {
    using folder = await useFolder();
    const run = await folder.fsck();
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(
      /^sound\n {2}\d+ blobs, \d+ statements, 4 graphs, 3 jobs, 2 users, 1 sessions, 3 audit records checked\n$/,
    );
    expect(run.stderr).toContain(folder.data);
  });

  test('tells a fault a line, ends with 1, and with 0 once all is repaired', async () => {
    using folder = await useFolder();
    damageCount(folder.data);
    writeFileSync(join(folder.data, 'staging', 'half'), 'half');
    const found = await folder.fsck();
    expect(found.code).toBe(1);
    const { root } = folder.filled;
    expect(lines(found.stdout)).toHaveLength(4 + 1 + 2);
    expect(found.stdout).toMatch(
      new RegExp(`^count  ${root.graphId}  It is said to have \\d+ statements, and has \\d+\\.$`, 'm'),
    );
    expect(found.stdout).toMatch(/^leftover upload {2}half {2}.*\nDAMAGED: 4 faults, 1 leftovers\n/m);
    expect(found.stderr).toContain('cairn fsck --repair');

    const repaired = await folder.fsck('--repair', '--json');
    expect(repaired.code, repaired.stderr).toBe(0);
    const told = lines(repaired.stdout).map((line) => JSON.parse(line));
    expect(told.slice(0, -1).map(({ kind, severity, repair }) => [kind, severity, repair])).toEqual([
      ...Array(4).fill(['count', 'damage', 'done']),
      ['upload', 'leftover', 'done'],
    ]);
    expect(told.at(-1)).toEqual({
      summary: expect.objectContaining({ ok: true, repaired: 5, damaged: 0, leftovers: 0, sample: null }),
    });
    expect(await folder.fsck()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sound\n/) });
  });

  test('ends with 1 after a repair, too, where content is damaged, and says what to do', async () => {
    using folder = await useFolder();
    const { blob } = folder.filled;
    const hex = digestHex(blob);
    appendFileSync(join(folder.data, 'blobs', hex.slice(0, 2), hex.slice(2, 4), `1e-${hex}`), 'more');
    const { code, stdout } = await folder.fsck('--repair');
    expect(code).toBe(1);
    expect(lines(stdout)[0]).toMatch(
      new RegExp(`^blob  ${blob.text}  Its bytes do not hash to its name\\. Restore it from a backup; or `),
    );
  });

  test('looks at a sample, says which, and at the same again for its seed', async () => {
    using folder = await useFolder();
    const first = await folder.fsck('--sample', '40%');
    expect(first.code, first.stderr).toBe(0);
    const [, seed = ''] = /--seed ([0-9a-f]{8})\)/.exec(first.stdout) ?? [];
    const again = await folder.fsck('--sample', '40%', '--seed', seed);
    expect(again.stdout).toBe(first.stdout);
    const json = await folder.fsck('--sample', '40%', '--seed', seed, '--json');
    expect(JSON.parse(json.stdout).summary).toMatchObject({ sample: { share: '40%', seed } });
  });

  test('ends with 2 when it is used wrongly, and where there is no store', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'nothing');
    for (const args of [
      ['--sample', '0%'],
      ['--sample', 'some'],
      ['--seed', 'x'],
      ['--repair', '--sample', '5%'],
      ['--data-dir', data],
      ['surplus'],
    ]) {
      const { code, stdout, stderr } = await cairn(['fsck', ...args]);
      expect({ args, code, stdout }).toEqual({ args, code: 2, stdout: '' });
      expect(stderr).not.toMatch(/\n\s+at /);
    }
    expect(existsSync(data)).toBe(false);
  });

  test('ends with 2 while a service has the folder, and tells to stop it', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    await using _service = await startService({ CAIRN_DATA_DIR: data });
    const { code, stdout, stderr } = await cairn(['fsck', '--data-dir', data]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^The data folder .* is in use by another Cairn. Stop that one/);
  });
});
