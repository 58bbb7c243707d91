import { randomBytes } from 'node:crypto';
import type { Command } from 'commander';
import type { FsckSummary } from '../../domain/maintenance/fsck/fsck.ts';
import { parseShare, type Sample, sampleOf } from '../../domain/maintenance/fsck/sample.ts';
import { readSomeSettings } from '../../platform/settings/settings.ts';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { PartProgress } from '../terminal/part-progress.ts';
import { writeOut } from '../terminal/write-out.ts';
import { problemJson, problemText, type SampleTold, summaryJson, summaryText } from './fsck/report.ts';

interface FsckFlags {
  readonly repair?: true;
  readonly sample?: string;
  readonly seed?: string;
  readonly dataDir?: string;
  readonly json?: true;
}

const notes = `
The store is the one that the service would use: of CAIRN_MONGODB_URL and CAIRN_MONGODB_DATABASE, or the folder of
CAIRN_DATA_DIR; --data-dir names another folder. A service on a folder has to be stopped first; those on MongoDB may go on.

Every blob is hashed and every statement identified again, and all that leads to them is compared with them. Each
fault is a line: what it is about, its name, what is wrong.

--repair makes indexes and counts again and removes what interrupted work has left behind. Content is never touched:
what is damaged itself has to come from a backup, or to be left out by "cairn migrate" and stored again elsewhere.

Exit codes: 0 nothing is damaged; 1 something is, and is not repaired; 2 wrong usage, or no store that can be opened;
3 MongoDB cannot be reached.

Examples:
  $ cairn fsck
  $ cairn fsck --repair
  $ cairn fsck --sample 5%
  $ cairn fsck --data-dir /var/lib/cairn --json`;

export function fsckCommand(program: Command, io: Io): void {
  program
    .command('fsck')
    .description('check everything that a store has')
    .option('--repair', 'make indexes and counts again, and remove leftovers')
    .option('--sample <share>', 'look at a share of the blobs and statements only, such as 5%')
    .option('--seed <text>', 'which share: the same one for the same text (default: another one each time)')
    .option('--data-dir <folder>', 'folder of an embedded store, whatever the settings say')
    .option('--json', 'print a JSON object a line')
    .addHelpText('after', notes)
    .action(async (flags: FsckFlags) => await fsck(io, flags));
}

async function fsck(io: Io, flags: FsckFlags): Promise<void> {
  const told = sampleTold(flags);
  const sample: Sample = told ? sampleOf(parseShare(told.share), told.seed) : sampleOf(1, '');
  const repair = flags.repair ?? false;
  if (repair && told) failUsage('--repair needs everything to go by: leave --sample out.');
  const { dataDir } = flags;
  const names = ['dataDir', 'mongodbUrl', 'mongodbDatabase', 'startWait', 'workers'] as const;
  const read = readSomeSettings(names, io.env, dataDir === undefined ? {} : { dataDir });
  const settings = dataDir === undefined ? read : { ...read, mongodbUrl: null };
  const say = (line: string) => void io.stderr.write(`${line}\n`);
  // Most of the program is behind it, and other commands start without that.
  const { openFsck } = await import('../../composition/maintenance.ts');
  await using fsck = await openFsck(settings, say);
  say(
    `Checking ${fsck.place}${told ? `: ${told.share} of its blobs and statements, --seed ${told.seed}` : ''}`,
  );
  using progress = new PartProgress(io);
  const problems = fsck.run({ repair, sample, onProgress: (...step) => progress.update(...step) });
  let next = await problems.next();
  for (; !next.done; next = await problems.next())
    await writeOut(io, flags.json ? problemJson(next.value) : problemText(next.value));
  progress.end();
  await writeOut(io, flags.json ? summaryJson(fsck.place, next.value, told) : summaryText(next.value, told));
  demandSound(next.value, repair);
}

function sampleTold({ sample, seed }: FsckFlags): SampleTold | undefined {
  if (sample !== undefined) return { share: sample, seed: seed ?? randomBytes(4).toString('hex') };
  if (seed !== undefined) failUsage('--seed is for --sample.');
  return undefined;
}

function demandSound({ damaged }: FsckSummary, repair: boolean): void {
  if (damaged === 0) return;
  const advice = repair
    ? 'What is left has to come from a backup.'
    : '"cairn fsck --repair" repairs what it can.';
  throw new Failure(exitCodes.no, `Damage was found. ${advice}`);
}
