import { Command } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { configCommand } from './config.ts';
import { exportCommand } from './export.ts';
import { exitCodeOf, explanationOf } from './failure.ts';
import { fsckCommand } from './fsck.ts';
import { getCommand } from './get.ts';
import { importCommand } from './import.ts';
import { ingestCommand } from './ingest.ts';
import { lineageCommand } from './lineage.ts';
import { loginCommand } from './login.ts';
import { logoutCommand } from './logout.ts';
import { endWithOutput } from './lost-output.ts';
import { migrateCommand } from './migrate.ts';
import { printable } from './printable.ts';
import { putCommand } from './put.ts';
import { serveCommand } from './serve.ts';
import { withGoFlags } from './setting-options.ts';
import { tokenCommand } from './token.ts';
import { verifyCommand } from './verify.ts';

const notes = `
Results are on standard output, everything else on standard error.
Exit codes: 0 done; 1 the answer is no; 2 wrong usage or configuration; 3 the service cannot be reached.

Examples:
  $ cairn serve
  $ cairn put model.safetensors
  $ cairn ingest statements.ndjson --generate-id
  $ cairn verify statement.json`;

/** The value of an option that there is not may be a secret: its name was misspelt. */
function withoutValue(fault: string): string {
  return fault.replace(/^(error: unknown option '[^'=]*=).*'/s, "$1…'");
}

/** Runs a command line. @returns the exit code. */
export async function run(argv: readonly string[]): Promise<number> {
  endWithOutput();
  const program = new Command('cairn')
    .description('Evidence addressed by its content: statements, blobs and graphs')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({ outputError: (text, write) => write(printable(withoutValue(text))) })
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
