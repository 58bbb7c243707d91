import '../domain/older-runtimes.ts';
import { Command, Help, type Option } from 'commander';
import packageJson from '../../package.json' with { type: 'json' };
import { withGoFlags } from './setting-options.ts';
import { exitCodeOf, explanationOf } from './terminal/explanation.ts';
import type { Io } from './terminal/io.ts';
import { sayText, writeText } from './terminal/output.ts';

const notes = `
Results are on standard output, everything else on standard error.
Exit codes: 0 done; 1 the answer is no; 2 wrong usage or configuration; 3 the service cannot be reached; 4 cannot tell.

Examples:
  $ cairn serve
  $ cairn put model.safetensors
  $ cairn ingest statements.ndjson --generate-id
  $ cairn verify statement.json`;

type AddCommand = (program: Command, io: Io) => void;

/** It completes all commands, so it needs them all. */
const completion = 'completion';

/** The commands in the order of the help. Each is imported when it is needed, because importing all takes long. */
const commands: ReadonlyMap<string, () => Promise<AddCommand>> = new Map([
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['setup', async () => (await import('./commands/setup.ts')).setupCommand],
  ['init', async () => (await import('./commands/init.ts')).initCommand],
  ['graph', async () => (await import('./commands/graph.ts')).graphCommand],
  ['record', async () => (await import('./commands/record.ts')).recordCommand],
  ['status', async () => (await import('./commands/status/status.ts')).statusCommand],
  ['runs', async () => (await import('./commands/runs/runs.ts')).runsCommand],
  ['put', async () => (await import('./commands/put.ts')).putCommand],
  ['ingest', async () => (await import('./commands/ingest.ts')).ingestCommand],
  ['statement', async () => (await import('./commands/statement.ts')).statementCommand],
  ['retract', async () => (await import('./commands/retract.ts')).retractCommand],
  ['contexts', async () => (await import('./commands/contexts/contexts.ts')).contextsCommand],
  ['get', async () => (await import('./commands/get.ts')).getCommand],
  ['search', async () => (await import('./commands/search/search.ts')).searchCommand],
  ['lineage', async () => (await import('./commands/lineage.ts')).lineageCommand],
  ['gov', async () => (await import('./commands/gov.ts')).govCommand],
  ['agents', async () => (await import('./commands/agents.ts')).agentsCommand],
  ['gateway-token', async () => (await import('./commands/gateway-token.ts')).gatewayTokenCommand],
  ['export', async () => (await import('./commands/export.ts')).exportCommand],
  ['import', async () => (await import('./commands/import.ts')).importCommand],
  ['verify', async () => (await import('./commands/verify.ts')).verifyCommand],
  ['verifier', async () => (await import('./commands/verify/verifier.ts')).verifierCommand],
  ['check', async () => (await import('./commands/check/check.ts')).checkCommand],
  ['policy', async () => (await import('./commands/policy/policy.ts')).policyCommand],
  ['model', async () => (await import('./commands/model/model.ts')).modelCommand],
  ['report', async () => (await import('./commands/report.ts')).reportCommand],
  ['log', async () => (await import('./commands/log/log.ts')).logCommand],
  ['key', async () => (await import('./commands/key.ts')).keyCommand],
  ['fsck', async () => (await import('./commands/fsck.ts')).fsckCommand],
  ['migrate', async () => (await import('./commands/migrate.ts')).migrateCommand],
  ['login', async () => (await import('./commands/login.ts')).loginCommand],
  ['logout', async () => (await import('./commands/logout.ts')).logoutCommand],
  ['token', async () => (await import('./commands/token.ts')).tokenCommand],
  ['limits', async () => (await import('./commands/limits/limits.ts')).limitsCommand],
  ['config', async () => (await import('./commands/config.ts')).configCommand],
  [completion, async () => (await import('./completion/completion.ts')).completionCommand],
]);

/** What loads the commands that the first argument needs: the help needs all of them, and the version none. */
function loadersFor(first = ''): Iterable<() => Promise<AddCommand>> {
  if (first === '--version' || first === '-V') return [];
  const named = first === completion ? undefined : commands.get(first);
  return named ? [named] : commands.values();
}

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
      writeOut: (text) => void writeText(io, text),
      writeErr: (text) => sayText(io, text),
      outputError: (text, write) => write(withoutValue(text)),
    })
    .configureHelp({ optionDescription })
    .addHelpText('after', notes);
  try {
    const args = withGoFlags(argv.slice(2));
    for (const load of loadersFor(args[0])) (await load())(program, io);
    await program.parseAsync([...argv.slice(0, 2), ...args]);
    return 0;
  } catch (error) {
    sayText(io, explanationOf(error));
    return exitCodeOf(error);
  }
}
