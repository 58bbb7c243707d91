import type { Command } from 'commander';
import { dynamicConfig, type dynamicConfigChange } from '../../../contract/integrity/dynamic-config.ts';
import { runTimeLimitBounds } from '../../../domain/integrity/dynamic-config.ts';
import { answerJson, jsonBody, openClient } from '../../client/api-client.ts';
import { readClientSettings } from '../../client/client-settings.ts';
import type { Io } from '../../terminal/io.ts';
import { indented, table, writeText } from '../../terminal/output.ts';
import { wholeNumber } from '../../terminal/whole-number.ts';

const notes = `
Requests above a limit wait. A change applies in every process within two seconds. It needs the permission
manage_configuration.

Examples:
  $ cairn limits
  $ cairn limits --reads 64 --writes 32`;

interface LimitsFlags {
  readonly reads?: number;
  readonly writes?: number;
  readonly json?: true;
}

export function limitsCommand(program: Command, io: Io): void {
  program
    .command('limits')
    .description('show or change how many blobs a process reads and writes at once')
    .option('--reads <number>', 'blobs read at once', limit)
    .option('--writes <number>', 'blobs written at once', limit)
    .option('--json', 'print JSON')
    .addHelpText('after', notes)
    .action(async (flags: LimitsFlags) => await limits(io, flags));
}

const limit = wholeNumber(runTimeLimitBounds.min, runTimeLimitBounds.max);

async function limits(io: Io, { reads, writes, json }: LimitsFlags): Promise<void> {
  const client = openClient(readClientSettings(io));
  const change = {
    ...(reads !== undefined && { blob_store_fetch_concurrency_limit: reads }),
    ...(writes !== undefined && { blob_store_write_concurrency_limit: writes }),
  };
  const response =
    Object.keys(change).length > 0
      ? await client.send('PUT', '/dynamic-config/v1', jsonBody<typeof dynamicConfigChange>(change))
      : await client.send('GET', '/dynamic-config/v1');
  const now = await answerJson(response, dynamicConfig);
  const rows = [
    ['blobs read at once', String(now.blob_store_fetch_concurrency_limit)],
    ['blobs written at once', String(now.blob_store_write_concurrency_limit)],
  ];
  await writeText(io, json ? indented(now) : table(rows));
}
