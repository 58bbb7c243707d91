import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import { parseShare, type Sample, sampleOf } from '../../domain/maintenance/fsck/sample.ts';
import { readSomeSettings } from '../../platform/settings/settings.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say, writeText } from '../terminal/output.ts';
import { PartProgress } from '../terminal/progress.ts';
import { LeftProblems, problemJson, problemText, summaryJson, summaryText } from './fsck/report.ts';

interface FsckFlags {
  readonly repair?: true;
  readonly sample?: string;
  readonly seed?: string;
  readonly dataDir?: string;
  readonly json?: true;
}

const notes = `
The store is the one that the service uses: MongoDB if CAIRN_MONGODB_URL is set, otherwise the folder of CAIRN_DATA_DIR.
--data-dir names another folder. Stop the service before checking a folder. Services on MongoDB may keep running.

Every blob and body is hashed and every statement is identified again. Indexes and counts are compared with the content. Each
problem is one line: kind, id, problem.

--repair rebuilds indexes and counts, finishes unfinished work and removes orphans. It never changes content. Restore damaged
content from a backup, or copy the rest to another store with "cairn migrate".

Exit codes: 0 nothing is damaged; 1 something is damaged and was not repaired; 2 wrong usage, or the store cannot be
opened; 3 MongoDB cannot be reached.

Examples:
  $ cairn fsck
  $ cairn fsck --repair
  $ cairn fsck --sample 5%
  $ cairn fsck --data-dir /var/lib/cairn --json`;

export function fsckCommand(program: Command, io: Io): void {
  program
    .command('fsck')
    .description('check a store')
    .option('--repair', 'rebuild indexes and counts, and remove orphans')
    .option('--sample <share>', 'check only a share of the blobs and statements, such as 5%')
    .option('--seed <text>', 'selects the sample; the same text selects the same sample (default: random)')
    .option('--data-dir <folder>', 'folder of an embedded store, regardless of the settings')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', notes)
    .action(async (flags: FsckFlags) => await fsck(io, flags));
}

async function fsck(io: Io, flags: FsckFlags): Promise<void> {
  const info = sampleInfo(flags);
  const sample: Sample = info ? sampleOf(parseShare(info.share), info.seed) : sampleOf(1, '');
  const repair = flags.repair ?? false;
  if (repair && info) failUsage('--repair needs a complete check. Leave out --sample.');
  const { dataDir } = flags;
  const names = ['dataDir', 'mongodbUrl', 'mongodbDatabase', 'startWait', 'workers'] as const;
  const read = readSomeSettings(names, io.env, dataDir === undefined ? {} : { dataDir });
  const settings = dataDir === undefined ? read : { ...read, mongodbUrl: null };
  // Imported here, because it loads most of the program.
  const { openFsck } = await import('../../composition/maintenance.ts');
  await using fsck = await openFsck(settings, (sentence) => say(io, sentence));
  const share = info ? `: ${info.share} of its blobs and statements, --seed ${info.seed}` : '';
  say(io, `Checking ${fsck.place}${share}`);
  using progress = new PartProgress(io);
  const problems = fsck.run({ repair, sample, onProgress: (...step) => progress.update(...step) });
  const left = new LeftProblems();
  let next = await problems.next();
  for (; !next.done; next = await problems.next()) {
    left.add(next.value);
    await writeText(io, flags.json ? problemJson(next.value) : problemText(next.value));
  }
  progress.end();
  const { value: summary } = next;
  const json = flags.json && summaryJson(fsck.place, summary, left, info);
  await writeText(io, json ?? summaryText(summary, left, info));
  if (summary.damaged > 0) failDamaged(left);
}

function sampleInfo({ sample, seed }: FsckFlags) {
  if (sample !== undefined) return { share: sample, seed: seed ?? randomBytes(4).toString('hex') };
  if (seed !== undefined) failUsage('--seed needs --sample.');
  return undefined;
}

function failDamaged({ repairable, lost }: LeftProblems): never {
  const isAllLost = Object.keys(repairable).length === 0;
  if (isAllLost) failNo('Damage was found. A repair cannot fix it. Restore it from a backup.');
  const rest = Object.keys(lost).length > 0 ? ', then restore the rest from a backup' : '';
  failNo(`Damage was found. Run "cairn fsck --repair"${rest}.`);
}
