#!/usr/bin/env node
import { Command } from 'commander';
import packageJson from '../package.json' with { type: 'json' };
import { configCommand } from './cli/config.ts';
import { exportCommand } from './cli/export.ts';
import { exitCodeOf, explanationOf } from './cli/failure.ts';
import { fsckCommand } from './cli/fsck.ts';
import { getCommand } from './cli/get.ts';
import { importCommand } from './cli/import.ts';
import { ingestCommand } from './cli/ingest.ts';
import { lineageCommand } from './cli/lineage.ts';
import { loginCommand } from './cli/login.ts';
import { logoutCommand } from './cli/logout.ts';
import { migrateCommand } from './cli/migrate.ts';
import { printable } from './cli/printable.ts';
import { putCommand } from './cli/put.ts';
import { serveCommand } from './cli/serve.ts';
import { withGoFlags } from './cli/setting-options.ts';
import { tokenCommand } from './cli/token.ts';
import { verifyCommand } from './cli/verify.ts';

const notes = `
Results are on standard output, everything else on standard error.
Exit codes: 0 done; 1 the answer is no; 2 wrong usage or configuration; 3 the service cannot be reached.

Examples:
  $ cairn serve
  $ cairn put model.safetensors
  $ cairn ingest statements.ndjson --generate-id
  $ cairn verify statement.json`;

async function run(argv: readonly string[]): Promise<number> {
  const program = new Command('cairn')
    .description('Evidence addressed by its content: statements, blobs and graphs')
    .version(packageJson.version)
    .exitOverride()
    .addHelpText('after', notes);
  const commands = [
    serveCommand,
    putCommand,
    ingestCommand,
    getCommand,
    lineageCommand,
    exportCommand,
    importCommand,
    verifyCommand,
    fsckCommand,
    migrateCommand,
    loginCommand,
    logoutCommand,
    tokenCommand,
    configCommand,
  ];
  for (const add of commands) add(program);
  try {
    await program.parseAsync([...argv.slice(0, 2), ...withGoFlags(argv.slice(2))]);
    return 0;
  } catch (error) {
    process.stderr.write(printable(explanationOf(error)));
    return exitCodeOf(error);
  }
}

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit();
});
process.exitCode = await run(process.argv);
