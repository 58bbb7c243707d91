import type { Command } from 'commander';
import { governanceStatusAnswer } from '../../contract/integrity/governance.ts';
import { parseUuid } from '../../domain/integrity/identifiers/identifiers.ts';
import { answerJson, answerText, openClient } from '../client/api-client.ts';
import { readClientSettings } from '../client/client-settings.ts';
import { identifierOrFile } from '../client/identifier-or-file.ts';
import { askNames } from '../client/names.ts';
import { lineWidth } from '../terminal/identifier.ts';
import type { Io } from '../terminal/io.ts';
import { writeText } from '../terminal/write-out.ts';
import { identifiersIn, statusTables } from './gov/status-tables.ts';

const notes = `
The subject is the CID that POST /gov/v1/cid/subject has answered, the DID of a member, or a file or folder, which is
hashed. The table shows the last review about each control, and whether each certificate is valid now. Names come from
metadata.

Examples:
  $ cairn gov status baga6yaq6e… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4
  $ cairn gov status did:key:z6Mk… 0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4 --json`;

export function govCommand(program: Command, io: Io): void {
  program
    .command('gov')
    .description('read the governance of a project')
    .command('status')
    .description('show what stands for a subject: declarations, reviews, certificates')
    .argument('<subject or file>', 'the CID of a registered subject, a DID, or a file or folder')
    .argument('<project>', 'the UUID of the project')
    .option('--full', 'show whole identifiers')
    .option('--json', "print the service's JSON answer")
    .addHelpText('after', notes)
    .action(async (subject: string, project: string, flags: StatusFlags) => {
      const uuid = parseUuid(project, 'project');
      await showStatus(io, await identifierOrFile(io, subject), uuid, flags);
    });
}

interface StatusFlags {
  readonly full?: true;
  readonly json?: true;
}

async function showStatus(io: Io, subject: string, project: string, flags: StatusFlags): Promise<void> {
  const client = openClient(readClientSettings(io));
  const response = await client.send('GET', `/gov/v1/status/${encodeURIComponent(subject)}/${project}`);
  if (flags.json) return await writeText(io, `${await answerText(response)}\n`);
  const status = await answerJson(response, governanceStatusAnswer);
  const names = await askNames(client, identifiersIn(status));
  const width = flags.full ? Number.POSITIVE_INFINITY : lineWidth(io);
  await writeText(io, statusTables(status, { names, isFull: flags.full === true, width }));
}
