import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from 'vitest';
import { changeBlob } from '../storage/embedded/stored-blobs.ts';
import { filledFolder } from './migrate-samples.ts';
import { cairn, startService, temporaryFolder } from './run-cairn.ts';

/** A filled data folder and the fsck command for it. */
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

function lengthenBlob({ data, filled }: Awaited<ReturnType<typeof useFolder>>): void {
  changeBlob(data, filled.blob, (bytes) => Buffer.concat([bytes, Buffer.from('more')]));
}

const lines = (text: string) => text.trimEnd().split('\n');

describe('cairn fsck', () => {
  test('exits with 0 on a sound store and prints what it checked', async () => {
    using folder = await useFolder();
    const run = await folder.fsck();
    expect(run.code, run.stderr).toBe(0);
    expect(run.stdout).toMatch(/^sound\n {2}\d+ blobs, \d+ statements, 4 graphs, 37 records checked\n$/);
    expect(run.stderr).toContain(folder.data);
  });

  test('prints one problem per line and exits with 1, or with 0 once all is repaired', async () => {
    using folder = await useFolder();
    damageCount(folder.data);
    writeFileSync(join(folder.data, 'staging', 'half'), 'half');
    const found = await folder.fsck();
    expect(found.code).toBe(1);
    const { root } = folder.filled;
    expect(lines(found.stdout)).toHaveLength(4 + 1 + 3);
    expect(found.stdout).toMatch(
      new RegExp(`^count  ${root.graphId}  It is said to have \\d+ statements, and has \\d+\\.$`, 'm'),
    );
    expect(found.stdout).toMatch(/^orphan upload {2}half {2}.*\nDAMAGED: 4 problems, 1 orphans\n/m);
    expect(found.stderr).toContain('cairn fsck --repair');

    const repaired = await folder.fsck('--repair', '--json');
    expect(repaired.code, repaired.stderr).toBe(0);
    const told = lines(repaired.stdout).map((line) => JSON.parse(line));
    expect(told.slice(0, -1).map(({ kind, severity, repair }) => [kind, severity, repair])).toEqual([
      ...Array(4).fill(['count', 'damage', 'done']),
      ['upload', 'orphan', 'done'],
    ]);
    expect(told.at(-1)).toEqual({
      summary: expect.objectContaining({ ok: true, repaired: 5, damaged: 0, orphans: 0, sample: null }),
    });
    expect(await folder.fsck()).toMatchObject({ code: 0, stdout: expect.stringMatching(/^sound\n/) });
  });

  test('ends with what a repair can fix and what needs a backup', async () => {
    using folder = await useFolder();
    damageCount(folder.data);
    writeFileSync(join(folder.data, 'staging', 'half'), 'half');
    lengthenBlob(folder);
    const found = await folder.fsck();
    expect(lines(found.stdout).slice(-2)).toEqual([
      '  "cairn fsck --repair" can fix 5: 4 count, 1 upload',
      '  1 need a backup, or what their lines say: 1 blob',
    ]);
    expect(found.stderr).toContain('Run "cairn fsck --repair", then restore the rest from a backup.');
    const { summary } = JSON.parse(lines((await folder.fsck('--json')).stdout).at(-1) ?? '');
    expect(summary).toMatchObject({ repairable: { count: 4, upload: 1 }, lost: { blob: 1 } });
    const repaired = await folder.fsck('--repair');
    expect(lines(repaired.stdout).at(-1)).toBe('  1 need a backup, or what their lines say: 1 blob');
    expect(repaired.stdout).not.toContain('can fix');
    const again = await folder.fsck();
    expect(again.stderr).toContain('A repair cannot fix it. Restore it from a backup.');
  });

  test('exits with 1 if content stays damaged after a repair, and says what to do', async () => {
    using folder = await useFolder();
    const { blob } = folder.filled;
    lengthenBlob(folder);
    const { code, stdout } = await folder.fsck('--repair');
    expect(code).toBe(1);
    expect(lines(stdout)[0]).toMatch(
      new RegExp(
        `^blob  ${blob.text}  Its bytes do not hash to its name\\. Restore it from a backup, or store the right bytes again: "cairn put --again FILE"\\.$`,
      ),
    );
  });

  test('checks a sample, prints its seed, and checks the same sample for that seed', async () => {
    using folder = await useFolder();
    const first = await folder.fsck('--sample', '40%');
    expect(first.code, first.stderr).toBe(0);
    const [, seed = ''] = /--seed ([0-9a-f]{8})\)/.exec(first.stdout) ?? [];
    const again = await folder.fsck('--sample', '40%', '--seed', seed);
    expect(again.stdout).toBe(first.stdout);
    const json = await folder.fsck('--sample', '40%', '--seed', seed, '--json');
    expect(JSON.parse(json.stdout).summary).toMatchObject({ sample: { share: '40%', seed } });
  });

  test('exits with 2 for wrong usage and for a missing store', async () => {
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

  test('exits with 2 while a service uses the folder, and says to stop it', async () => {
    using folder = temporaryFolder();
    const data = join(folder.path, 'data');
    await using _service = await startService({ CAIRN_DATA_DIR: data });
    const { code, stdout, stderr } = await cairn(['fsck', '--data-dir', data]);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toMatch(/^The data folder .* is in use by another Cairn. Stop that one/);
  });
});
