import { open } from 'node:fs/promises';
import { extname, resolve } from 'node:path';
import { type Folders, isBelow, placeAt, type RecordedPath } from './places.ts';

const scriptExtensions = new Set(
  '.py .sh .bash .zsh .js .mjs .cjs .ts .mts .r .jl .pl .rb .lua .php .sql .ipynb .scala .go .m'.split(' '),
);

/**
 * The file of the project that a command runs: the first word if it is a path, otherwise the first argument that is a
 * script by its extension or its `#!`. Undefined if there is none, or if it is an output.
 */
export async function programOf(
  command: readonly string[],
  folders: Folders,
  outputs: readonly RecordedPath[],
): Promise<RecordedPath | undefined> {
  for (const [at, word] of command.entries()) {
    const absolute = resolve(folders.cwd, word);
    const isPath = at > 0 || /[/\\]/.test(word);
    if (!isPath || word.startsWith('-') || word === '' || !isBelow(absolute, folders.root)) continue;
    if (outputs.some((output) => output.absolute === absolute)) continue;
    const place = await placeAt(absolute, folders).catch(() => undefined);
    if (place?.kind === 'file' && (at === 0 || (await isScript(absolute)))) return place;
  }
  return undefined;
}

async function isScript(path: string): Promise<boolean> {
  if (scriptExtensions.has(extname(path).toLowerCase())) return true;
  await using file = await open(path);
  const { buffer, bytesRead } = await file.read(Buffer.alloc(2), 0, 2, 0);
  return bytesRead === 2 && buffer.toString('latin1') === '#!';
}
