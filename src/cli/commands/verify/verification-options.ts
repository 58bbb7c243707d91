import type { Command } from 'commander';
import type { StatusOptions } from './verify-credential.ts';

export interface VerificationFlags extends StatusOptions {
  readonly contexts: readonly string[];
}

/** The options with which manifests and credentials are verified offline. */
export function addVerificationOptions(command: Command): Command {
  const collect = (value: string, values: readonly string[]) => [...values, value];
  return command
    .option(
      '--contexts <folder>',
      'folder with context documents (cid/<cid>, https/<host>/<path>; repeatable)',
      collect,
      [],
    )
    .option('--status-list <file>', 'a signed status list for credentials (repeatable)', collect, [])
    .option(
      '--status-issuer <did>',
      'whose status lists count, beside the issuer of the credential (repeatable)',
      collect,
      [],
    );
}
