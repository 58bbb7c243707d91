import type { Command } from 'commander';
import { verifierPage } from '../../../ui/verifier/page.ts';
import type { Io } from '../../terminal/io.ts';
import { writeBytes } from '../../terminal/output.ts';

const notes = `
Give the page to somebody who has no cairn. Every browser of the last two years opens it, also from a disk without a network.
It verifies dropped files like "cairn verify", on their machine: its content security policy forbids every connection.

Example:
  $ cairn verifier > verify.html`;

export function verifierCommand(program: Command, io: Io): void {
  program
    .command('verifier')
    .description('print a page that verifies evidence in a browser, without an installation')
    .addHelpText('after', notes)
    .action(async () => await writeBytes(io, Buffer.from(await verifierPage())));
}
