import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { replaceFile } from '../../../platform/replace-file.ts';
import { failUsage } from '../../terminal/failure.ts';

const hashes = z.array(z.base64());

/** A tree has a perfect subtree for each bit of its size. */
function isTree(tree: { readonly size: number; readonly hashes: readonly string[] }): boolean {
  return tree.hashes.length === tree.size.toString(2).replaceAll('0', '').length;
}

const followedTree = z
  .object({
    /** How many entries of the service log were looked through for it. */
    until: z.int().min(0),
    size: z.int().min(0),
    hashes,
  })
  .refine(isTree);

/** What a monitor knows of a log from its last run. */
const monitorState = z
  .object({
    url: z.string(),
    /** The keys that it trusts. */
    keys: z.array(z.string()).min(1),
    /** The last checkpoint, and the perfect subtrees of its tree. */
    note: z.string(),
    size: z.int().min(0),
    hashes,
    /** The logs of graphs and agents whose heads it has checked. */
    logs: z.record(z.string(), followedTree),
  })
  .refine(isTree);
export type MonitorState = z.output<typeof monitorState>;

/** @throws Failure (usage) for a file that was not written by a monitor of this log. */
export function readState(file: string, url: string): MonitorState | undefined {
  let text: string;
  try {
    text = readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  // Starting anew would forget what the log has signed.
  const state = monitorState.safeParse(jsonOf(text)).data;
  if (!state)
    return failUsage(`The state file ${file} is damaged. Restore it, or name another one with --state.`);
  if (state.url !== url)
    failUsage(`The state file ${file} belongs to ${state.url}. Name another one for ${url} with --state.`);
  return state;
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The former state stays if the process or the machine stops. */
export async function writeState(file: string, state: MonitorState): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  await replaceFile(file, `${JSON.stringify(state)}\n`);
}
