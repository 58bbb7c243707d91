import type { Command } from 'commander';
import type { Io } from '../../terminal/io.ts';
import { compareCommand } from './compare.ts';
import { monitorCommand } from './monitor.ts';
import { newOriginCommand } from './new-origin.ts';
import { witnessCommand } from './witness.ts';

export function logCommand(program: Command, io: Io): void {
  const log = program
    .command('log')
    .description('logs that nobody can rewrite: compare, follow and witness them');
  compareCommand(log, io);
  monitorCommand(log, io);
  witnessCommand(log, io);
  newOriginCommand(log, io);
}
