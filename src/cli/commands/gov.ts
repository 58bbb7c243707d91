import type { Command } from 'commander';
import { parseIdentifier, parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { answerJson, answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/write-out.ts';
import { statusAnswer } from './gov/status-answer.ts';
import { statusTables } from './gov/status-tables.ts';

const notes = `
The subject is the CID that POST /gov/v1/cid/subject has answered, or the DID of a member. The table shows the last
review about each control, and whether each certificate is valid now.

Examples:
  $ cairn gov status baga6yaq6e… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4
  $ cairn gov status did:key:z6Mk… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --json`;

export function govCommand(program: Command, io: Io): void {
  program
    .command('gov')
    .description('read the governance of a project')
    .command('status')
    .description('show what stands for a subject: declarations, reviews, certificates')
    .argument('<subject>', 'the CID of a registered subject, or a DID')
    .argument('<project>', 'the UUID of the project')
    .option('--json', "print the service's JSON answer")
    .addHelpText('after', notes)
    .action(async (subject: string, project: string, flags: { json?: true }) => {
      await showStatus(io, parseIdentifier(subject), parseUuid(project, 'project'), flags.json === true);
    });
}

async function showStatus(io: Io, subject: string, project: string, asJson: boolean): Promise<void> {
  const client = openClient(readClientSettings(io));
  const response = await client.send('GET', `/gov/v1/status/${encodeURIComponent(subject)}/${project}`);
  await writeText(
    io,
    asJson ? `${await answerText(response)}\n` : statusTables(await answerJson(response, statusAnswer)),
  );
}
