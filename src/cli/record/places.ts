import { hash } from 'node:crypto';
import { statSync } from 'node:fs';
import { glob, open } from 'node:fs/promises';
import { basename, extname, isAbsolute, relative, resolve, sep } from 'node:path';
import { yieldToEventLoop } from '../../domain/yield-to-event-loop.ts';
import { filesBelow, pathKind } from '../client/local-files.ts';
import { failUsage } from '../terminal/failure.ts';

/** A file or folder that goes into a run or comes out of it. */
export interface RecordedPath {
  /** As people write it, relative to the folder of the recording. A folder ends in a slash. */
  readonly path: string;
  readonly absolute: string;
  readonly kind: 'file' | 'folder';
  /** Whether it is outside the folder of the recording. Then the path is only its name. */
  readonly isOutside: boolean;
}

/** What shows that a place may have changed, without reading it. */
export interface Survey {
  readonly fingerprint: string;
  readonly files: number;
  readonly bytes: number;
}

export interface Folders {
  /** Where the command runs. */
  readonly cwd: string;
  /** Paths in statements are relative to it. */
  readonly root: string;
}

/**
 * The places of paths and patterns, each once.
 * @param onMissing called with each path that does not exist, and each pattern that matches no file.
 */
export async function placesOf(
  paths: readonly string[],
  folders: Folders,
  onMissing: (path: string) => void,
): Promise<RecordedPath[]> {
  const found = new Map<string, RecordedPath>();
  for (const path of paths) {
    const places = await placesAt(path, folders);
    if (places.length === 0) onMissing(path);
    for (const place of places) found.set(place.absolute, place);
  }
  return [...found.values()];
}

async function placesAt(path: string, folders: Folders): Promise<RecordedPath[]> {
  if (path === '') failUsage('The name of a file is empty.');
  const place = await placeAt(resolve(folders.cwd, path), folders);
  if (place) return [place];
  if (!/[*?[{]/.test(path)) return [];
  const matches = (await Array.fromAsync(glob(path, { cwd: folders.cwd }))).toSorted();
  const places: RecordedPath[] = [];
  for (const match of matches) {
    const matched = await placeAt(resolve(folders.cwd, match), folders);
    if (matched?.kind === 'file') places.push(matched);
  }
  return places;
}

export async function placeAt(absolute: string, { root }: Folders): Promise<RecordedPath | undefined> {
  const kind = await pathKind(absolute);
  if (!kind) return undefined;
  if (kind === 'stream') failUsage(`${absolute} is neither a regular file nor a folder.`);
  const isOutside = !isBelow(absolute, root);
  const path = isOutside ? basename(absolute) : relative(root, absolute) || '.';
  const name = path.split(sep).join('/');
  return { absolute, kind, path: kind === 'folder' ? `${name}/` : name, isOutside };
}

export function isBelow(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return !isAbsolute(way) && way.split(sep)[0] !== '..';
}

export async function survey({ absolute, kind }: RecordedPath): Promise<Survey> {
  const found = kind === 'file' ? [{ name: '', path: absolute }] : filesBelow(absolute, () => undefined);
  const lines: string[] = [];
  let bytes = 0;
  for await (const { name, path } of found) {
    const { size, mtimeNs, ctimeNs, ino } = statSync(path, { bigint: true });
    bytes += Number(size);
    lines.push(`${name}\0${size} ${mtimeNs} ${ctimeNs} ${ino}`);
    await yieldToEventLoop();
  }
  const fingerprint = hash('sha256', lines.toSorted().join('\n'));
  return { fingerprint, files: lines.length, bytes };
}

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
