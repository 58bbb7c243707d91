import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Command } from 'commander';
import { z } from 'zod';
import type { MigrationSummary } from '../../domain/maintenance/migration/ports.ts';
import { readSomeSettings } from '../../platform/settings/settings.ts';
import type { StoreSettings } from '../../storage/open.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { StateFile } from '../client/state-file.ts';
import { exitCodes, Failure, failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { PartProgress } from '../terminal/part-progress.ts';
import { writeOut } from '../terminal/write-out.ts';
import { problemJson, problemText } from './fsck/report.ts';

interface MigrateFlags {
  readonly from: string;
  readonly to: string;
  readonly fromDatabase: string;
  readonly toDatabase: string;
  readonly json?: true;
}

/** What is remembered of a migration from one run to the next. */
const migrationMemory = z.object({
  after: z.string().nullable(),
  done: z.int().min(0),
  newest: z.string().nullable(),
  memberships: z.int().min(0),
});

const notes = `
A store is a data folder, or a MongoDB by its connection string. Stop the services of the source first; a folder can
be used by nobody else anyway. Everything is brought over: graphs, blobs, statements in the order in which they were
stored, users, audit records, run-time limits. Asynchronous exports are not: ask for them again. Neither are sessions of
browsers: sign in again. Neither is the signing key, which is a file.

Every hash and every id is computed again on the way. What is damaged is told and left out, and the rest is brought
over. After an interruption, give the same command again: it goes on where it was.

Exit codes: 0 everything is there; 1 something is damaged, and was left out or, of a graph, brought as it is; 2 wrong
usage, a store that cannot be opened, or a target with other content; 3 MongoDB cannot be reached.

Examples:
  $ cairn migrate --from ./data --to mongodb://localhost:27017/
  $ cairn migrate --from mongodb://localhost:27017/ --from-database cairn --to ./data`;

export function migrateCommand(program: Command, io: Io): void {
  program
    .command('migrate')
    .description('bring everything from one store into another')
    .requiredOption('--from <store>', 'a data folder, or a MongoDB connection string')
    .requiredOption('--to <store>', 'the same, for where it goes')
    .option('--from-database <name>', 'name of the MongoDB database', 'cairn')
    .option('--to-database <name>', 'name of the MongoDB database', 'cairn')
    .option('--json', 'print a JSON object a line')
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
  const { stateDir } = readClientSettings(io);
  const say = (line: string) => void io.stderr.write(`${line}\n`);
  // Most of the program is behind it, and other commands start without that.
  const { openMigration } = await import('../../composition/maintenance.ts');
  const migration = stack.use(await openMigration({ from, to, workers }, say));
  const places = { from: migration.from, to: migration.to };
  const memory = new StateFile(stateDir, 'migrate', places, migrationMemory);
  say(
    `From ${places.from} to ${places.to}${memory.read() ? ', going on with what an earlier run has left' : ''}`,
  );
  using progress = new PartProgress(io);
  const problems = migration.run(memory, (...step) => progress.update(...step));
  let next = await problems.next();
  for (; !next.done; next = await problems.next())
    await writeOut(io, flags.json ? problemJson(next.value) : problemText(next.value));
  progress.end();
  memory.remove();
  await writeOut(
    io,
    flags.json ? `${JSON.stringify({ summary: { ...places, ...next.value } })}\n` : text(next.value),
  );
  say(keyAdvice(from, to));
  demandWhole(next.value);
}

function demandWhole({ leftOut, damaged }: MigrationSummary): void {
  if (leftOut + damaged === 0) return;
  const where = [
    ...(leftOut > 0 ? ['not in the target'] : []),
    ...(damaged > 0 ? ['damaged there as well'] : []),
  ];
  throw new Failure(exitCodes.no, `Damage was found. What is listed above is ${where.join(', or ')}.`);
}

/** @throws SettingsError for a connection string or a name that is none. */
function storeSettings(io: Io, store: string, database: string, temporary: string): StoreSettings {
  const names = ['dataDir', 'mongodbUrl', 'mongodbDatabase', 'startWait'] as const;
  const { CAIRN_START_WAIT } = io.env;
  const given = /^mongodb(?:\+srv)?:/.test(store)
    ? { CAIRN_DATA_DIR: temporary, CAIRN_MONGODB_URL: store, CAIRN_MONGODB_DATABASE: database }
    : { CAIRN_DATA_DIR: resolve(store) };
  return readSomeSettings(names, { ...given, ...(CAIRN_START_WAIT && { CAIRN_START_WAIT }) });
}

function keyAdvice(from: StoreSettings, to: StoreSettings): string {
  const key =
    from.mongodbUrl === null ? join(from.dataDir, 'signing-key.json') : 'the file of CAIRN_SIGNING_KEY_FILE';
  const place =
    to.mongodbUrl === null
      ? `as ${join(to.dataDir, 'signing-key.json')}`
      : 'and name it with CAIRN_SIGNING_KEY_FILE';
  return `Asynchronous exports and sessions stay behind. Take the signing key along: ${key}, ${place}.`;
}

function text(summary: MigrationSummary): string {
  const { graphs, blobs, statements, users, auditRecords, stored, leftOut, damaged } = summary;
  const rest = `${leftOut > 0 ? `, ${leftOut} LEFT OUT` : ''}${damaged > 0 ? `, ${damaged} DAMAGED` : ''}`;
  const content = `${graphs} graphs, ${blobs} blobs, ${statements} statements, ${users} users`;
  return `${content} are there, ${stored} of them new, and ${auditRecords} audit records${rest}\n`;
}
