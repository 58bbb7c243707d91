import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import type { MigrationCounts } from '../../domain/maintenance/migration/run.ts';
import { readSomeSettings } from '../../platform/settings/settings.ts';
import type { StoreSettings } from '../../storage/open.ts';
import { failNo, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { say, writeText } from '../terminal/output.ts';
import { PartProgress } from '../terminal/progress.ts';
import { problemJson, problemText } from './fsck/report.ts';

interface MigrateFlags {
  readonly from: string;
  readonly to: string;
  readonly fromDatabase: string;
  readonly toDatabase: string;
  readonly json?: true;
}

const notes = `
A store is a data folder or a MongoDB connection string. Stop the services of the source first. The command copies
graphs, blobs, statements in their order of storing, and records such as users and exchanges. It does not copy
asynchronous exports (start them again), browser sessions (sign in again) and the signing key (copy its file).

Every hash and id is recomputed on the way. Damaged content is listed and left out, and the rest is copied. After an
interruption, run the same command again: it stores only what the target does not have.

Exit codes: 0 everything was copied; 1 something is damaged and was left out or, in a graph, copied unchanged; 2 wrong
usage, a store that cannot be opened, or a target with other content; 3 MongoDB cannot be reached.

Examples:
  $ cairn migrate --from ./data --to mongodb://localhost:27017/
  $ cairn migrate --from mongodb://localhost:27017/ --from-database cairn --to ./data`;

export function migrateCommand(program: Command, io: Io): void {
  program
    .command('migrate')
    .description('copy a store to another store')
    .requiredOption('--from <store>', 'the source: a data folder or a MongoDB connection string')
    .requiredOption('--to <store>', 'the target: a data folder or a MongoDB connection string')
    .option('--from-database <name>', 'MongoDB database of the source', 'cairn')
    .option('--to-database <name>', 'MongoDB database of the target', 'cairn')
    .option('--json', 'print one JSON object per line')
    .addHelpText('after', notes)
    .action(async (flags: MigrateFlags) => await migrate(io, flags));
}

async function migrate(io: Io, flags: MigrateFlags): Promise<void> {
  await using stack = new AsyncDisposableStack();
  const temporary = await mkdtemp(join(tmpdir(), 'cairn-migrate-'));
  stack.defer(() => rm(temporary, { recursive: true, force: true }));
  const from = storeSettings(io, flags.from, flags.fromDatabase, temporary);
  const to = storeSettings(io, flags.to, flags.toDatabase, temporary);
  if (JSON.stringify(from) === JSON.stringify(to)) failUsage('--from and --to are the same store.');
  const { workers } = readSomeSettings(['workers'], io.env);
  // Imported here, because it loads most of the program.
  const { openMigration } = await import('../../composition/maintenance.ts');
  const migration = stack.use(await openMigration({ from, to, workers }, (sentence) => say(io, sentence)));
  const places = { from: migration.from, to: migration.to };
  say(io, `Copying ${places.from} to ${places.to}`);
  using progress = new PartProgress(io);
  const problems = migration.run((...step) => progress.update(...step));
  let next = await problems.next();
  for (; !next.done; next = await problems.next())
    await writeText(io, flags.json ? problemJson(next.value) : problemText(next.value));
  progress.end();
  const summary = { ...places, ...next.value };
  await writeText(io, flags.json ? `${JSON.stringify({ summary })}\n` : text(next.value));
  say(io, keyAdvice(from, to));
  failIfIncomplete(next.value);
}

function failIfIncomplete({ leftOut, damaged }: MigrationCounts): void {
  const where = [leftOut > 0 && 'not in the target', damaged > 0 && 'damaged in the target too'].filter(
    Boolean,
  );
  if (where.length > 0) failNo(`Damage was found. The listed content is ${where.join(' or ')}.`);
}

/** @throws SettingsError for an invalid connection string or database name. */
function storeSettings(io: Io, store: string, database: string, temporary: string): StoreSettings {
  const names = ['dataDir', 'mongodbUrl', 'mongodbDatabase', 'startWait'] as const;
  const { CAIRN_START_WAIT } = io.env;
  const given = /^mongodb(?:\+srv)?:/.test(store)
    ? { CAIRN_DATA_DIR: temporary, CAIRN_MONGODB_URL: store, CAIRN_MONGODB_DATABASE: database }
    : { CAIRN_DATA_DIR: resolve(store) };
  return readSomeSettings(names, { ...given, ...(CAIRN_START_WAIT && { CAIRN_START_WAIT }) });
}

function keyAdvice(from: StoreSettings, to: StoreSettings): string {
  const keys = [
    ['signing key', 'signing-key.json', 'CAIRN_SIGNING_KEY_FILE'],
    ['key of the log', 'log-key.json', 'CAIRN_LOG_KEY_FILE'],
  ] as const;
  const copies = keys.map(([name, file, setting]) => {
    const inFolder = (store: StoreSettings) =>
      store.mongodbUrl === null ? join(store.dataDir, file) : undefined;
    const place = inFolder(to) ?? `a file that ${setting} names`;
    return `Copy the ${name}: ${inFolder(from) ?? `the file of ${setting}`} to ${place}.`;
  });
  return ['Asynchronous exports and sessions were not copied.', ...copies].join(' ');
}

function text(summary: MigrationCounts): string {
  const { graphs, blobs, statements, records, stored, leftOut, damaged } = summary;
  const rest = `${leftOut > 0 ? `, ${leftOut} LEFT OUT` : ''}${damaged > 0 ? `, ${damaged} DAMAGED` : ''}`;
  const content = `${graphs} graphs, ${blobs} blobs, ${statements} statements, ${records} records`;
  return `The target has ${content}, ${stored} of them new${rest}\n`;
}
