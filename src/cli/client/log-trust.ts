import { readFile } from 'node:fs/promises';
import { messageOf } from '../../domain/errors.ts';
import { noWitnesses, parsePolicy } from '../../domain/log/notes/policy.ts';
import type { LogTrust } from '../../domain/log/notes/tlog-proof.ts';
import { parseVkey, type Vkey } from '../../domain/log/notes/vkey.ts';
import { failUsage } from '../terminal/failure.ts';

export interface LogOptions {
  /** Verifier keys of logs. */
  readonly logKey: readonly string[];
  /** A file in the format of tlog-policy. */
  readonly logPolicy?: string;
}

/** Whose logs the user trusts. @throws Failure (usage). */
export async function logTrust({ logKey, logPolicy }: LogOptions): Promise<LogTrust> {
  const keys = logKey.flatMap((text) => text.split(/\s+/).filter(Boolean)).map(keyOf);
  const policy = logPolicy === undefined ? noWitnesses : await policyIn(logPolicy);
  return { logs: keys, policy };
}

function keyOf(text: string): Vkey {
  try {
    return parseVkey(text);
  } catch (error) {
    return failUsage(
      `--log-key: ${messageOf(error)} The operator of the log publishes it, and the service has it at /log/v1/key.`,
    );
  }
}

async function policyIn(path: string) {
  try {
    return parsePolicy(await readFile(path));
  } catch (error) {
    return failUsage(`The policy ${path} of --log-policy cannot be used: ${messageOf(error)}`);
  }
}
