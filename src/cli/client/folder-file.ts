import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { httpUrl } from '../../platform/settings/kinds.ts';
import { failUsage } from '../terminal/failure.ts';

export const folderFileName = 'cairn.json';

const content = z.object(
  {
    /** The graph that commands use by default. */
    graph: z.uuid('"graph" must be the UUID of a graph'),
    /** The address of the service. */
    url: httpUrl.optional(),
  },
  'it is not a JSON object',
);

/** What `cairn init` remembers for a folder and everything below it. */
export interface FolderFile extends Readonly<z.output<typeof content>> {
  readonly path: string;
  readonly folder: string;
}

/** The nearest `cairn.json` in a folder or above it. @throws Failure (usage) if it cannot be used. */
export function findFolderFile(cwd: string): FolderFile | undefined {
  for (let folder = cwd; ; folder = dirname(folder)) {
    const path = join(folder, folderFileName);
    const text = readIfThere(path);
    if (text !== undefined) return { path, folder, ...parsed(path, text) };
    if (folder === dirname(folder)) return undefined;
  }
}

export function folderFileText(remembered: z.input<typeof content>): string {
  return `${JSON.stringify(remembered, null, 2)}\n`;
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (['ENOENT', 'ENOTDIR', 'EISDIR'].includes((error as NodeJS.ErrnoException).code ?? ''))
      return undefined;
    throw error;
  }
}

function parsed(path: string, text: string): z.output<typeof content> {
  try {
    return content.parse(JSON.parse(text));
  } catch (error) {
    const problem =
      error instanceof z.ZodError ? error.issues.map(({ message }) => message).join(', ') : 'it is not JSON';
    failUsage(`${path} cannot be used: ${problem}. Repair it, or remove it and run "cairn init" again.`);
  }
}
