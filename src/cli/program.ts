import { Command, Help, type Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { agentsCommand } from './commands/agents.ts';
import { configCommand } from './commands/config.ts';
import { exportCommand } from './commands/export.ts';
import { fsckCommand } from './commands/fsck.ts';
import { gatewayTokenCommand } from './commands/gateway-token.ts';
import { getCommand } from './commands/get.ts';
import { govCommand } from './commands/gov.ts';
import { graphCommand } from './commands/graph.ts';
import { importCommand } from './commands/import.ts';
import { ingestCommand } from './commands/ingest.ts';
import { initCommand } from './commands/init.ts';
import { keyCommand } from './commands/key.ts';
import { lineageCommand } from './commands/lineage.ts';
import { loginCommand } from './commands/login.ts';
import { logoutCommand } from './commands/logout.ts';
import { migrateCommand } from './commands/migrate.ts';
import { putCommand } from './commands/put.ts';
import { recordCommand } from './commands/record.ts';
import { reportCommand } from './commands/report.ts';
import { serveCommand } from './commands/serve.ts';
import { setupCommand } from './commands/setup.ts';
import { statementCommand } from './commands/statement.ts';
import { tokenCommand } from './commands/token.ts';
import { verifyCommand } from './commands/verify.ts';
import { withGoFlags } from './setting-options.ts';
import { exitCodeOf, explanationOf } from './terminal/failure.ts';
import type { Io } from './terminal/io.ts';
import { printable } from './terminal/printable.ts';

const notes = `
Results are on standard output, everything else on standard error.
Exit codes: 0 done; 1 the answer is no; 2 wrong usage or configuration; 3 the service cannot be reached.

Examples:
  $ cairn serve
  $ cairn put model.safetensors
  $ cairn ingest statements.ndjson --generate-id
  $ cairn verify statement.json`;

/** Hides the value of an unknown option. It may be a secret whose option is misspelt. */
function withoutValue(problem: string): string {
  return problem.replace(/^(error: unknown option '[^'=]*=).*'/s, "$1…'");
}

/** Without the default of a repeatable option, which is empty. */
function optionDescription(this: Help, option: Option): string {
  return Help.prototype.optionDescription.call(this, option).replace(/ \(default: (?:\[\]|\{\})\)$/, '');
}

/** Runs a command line. @returns the exit code. */
export async function run(argv: readonly string[], io: Io): Promise<number> {
  const program = new Command('cairn')
    .description('Evidence addressed by its content: statements, blobs and graphs')
    .version(packageJson.version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout.write(text),
      writeErr: (text) => io.stderr.write(text),
      outputError: (text, write) => write(printable(withoutValue(text))),
    })
    .configureHelp({ optionDescription })
    .addHelpText('after', notes);
  const commands = [
    serveCommand,
    setupCommand,
    initCommand,
    graphCommand,
    recordCommand,
    putCommand,
    ingestCommand,
    statementCommand,
    getCommand,
    lineageCommand,
    govCommand,
    agentsCommand,
    gatewayTokenCommand,
    exportCommand,
    importCommand,
    verifyCommand,
    reportCommand,
    keyCommand,
    fsckCommand,
    migrateCommand,
    loginCommand,
    logoutCommand,
    tokenCommand,
    configCommand,
  ];
  for (const add of commands) add(program, io);
  try {
    await program.parseAsync([...argv.slice(0, 2), ...withGoFlags(argv.slice(2))]);
    return 0;
  } catch (error) {
    io.stderr.write(printable(explanationOf(error)));
    return exitCodeOf(error);
  }
}
