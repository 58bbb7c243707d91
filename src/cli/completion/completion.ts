import { Argument, type Command } from 'commander';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/output.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { type CommandWords, wordsOf } from './words.ts';

const zshStart = 'autoload -U +X compinit && compinit\nautoload -U +X bashcompinit && bashcompinit\n';
const scripts: Readonly<Record<string, (commands: readonly CommandWords[]) => string>> = {
  bash: bashCompletion,
  zsh: (commands) => zshStart + bashCompletion(commands),
  fish: fishCompletion,
};

const notes = `
Examples:
  $ echo 'source <(cairn completion bash)' >> ~/.bashrc
  $ echo 'source <(cairn completion zsh)' >> ~/.zshrc
  $ cairn completion fish > ~/.config/fish/completions/cairn.fish`;

/** @param program with all of its commands. */
export function completionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print a script that completes commands, options and files in a shell')
    .addArgument(new Argument('<shell>', 'which shell').choices(Object.keys(scripts)))
    .addHelpText('after', notes)
    .action(async (shell: string) => await writeText(io, scripts[shell]?.(wordsOf(program)) ?? ''));
}
