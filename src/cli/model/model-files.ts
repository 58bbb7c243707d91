import { readdir, realpath, stat } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { onlyFile } from '../../domain/integrity/evidence/model-signing/signed-model.ts';

export interface ModelFile {
  /** Relative to the model, with `/`. */
  readonly name: string;
  readonly path: string;
  readonly size: number;
}

/** What is in a model beside its files. */
interface OddPath {
  readonly name: string;
  readonly is: 'a link' | 'a link to a folder' | 'neither a file nor a folder';
}

export interface FoundModel {
  readonly files: readonly ModelFile[];
  readonly odd: readonly OddPath[];
  /** Links that lead out of the model, if links are followed. */
  readonly outside: readonly string[];
}

interface Walk {
  /** The model, without links in its path. */
  readonly root: string;
  readonly ignored: readonly string[];
  readonly allowSymlinks: boolean;
}

/**
 * Finds the files of a model (OMS 1.0, 6.1). As in the reference implementation, links to files are followed if that is allowed, and
 * links to folders never.
 */
export async function modelFiles(walk: Walk): Promise<FoundModel> {
  const found = { files: [] as ModelFile[], odd: [] as OddPath[], outside: [] as string[] };
  const { root } = walk;
  const top = await stat(root);
  if (top.isFile()) found.files.push({ name: onlyFile, path: root, size: top.size });
  else await collect(walk, '', found);
  return found;
}

async function collect(
  walk: Walk,
  prefix: string,
  found: { files: ModelFile[]; odd: OddPath[]; outside: string[] },
): Promise<void> {
  for (const entry of await readdir(join(walk.root, prefix), { withFileTypes: true })) {
    const name = prefix + entry.name;
    const path = join(walk.root, name);
    if (isIgnored(name, walk.ignored)) continue;
    if (entry.isDirectory()) await collect(walk, `${name}/`, found);
    else if (entry.isFile()) found.files.push({ name, path, size: (await stat(path)).size });
    else if (!entry.isSymbolicLink()) found.odd.push({ name, is: 'neither a file nor a folder' });
    else if (!walk.allowSymlinks) found.odd.push({ name, is: 'a link' });
    else {
      const target = await stat(path);
      if (target.isFile()) {
        found.files.push({ name, path, size: target.size });
        if (!isWithin(walk.root, await realpath(path))) found.outside.push(name);
      } else {
        found.odd.push({
          name,
          is: target.isDirectory() ? 'a link to a folder' : 'neither a file nor a folder',
        });
      }
    }
  }
}

/** Ignored paths are exact, and a folder is ignored with all that is in it (OMS 1.0, 6.2.1). */
function isIgnored(name: string, ignored: readonly string[]): boolean {
  return ignored.some((path) => name === path || name.startsWith(`${path}/`));
}

function isWithin(folder: string, path: string): boolean {
  return relativeName(folder, path) !== undefined;
}

/** The name of a path in a model; undefined outside of it. */
export function relativeName(folder: string, path: string): string | undefined {
  const name = relative(folder, path);
  return name === '..' || name.startsWith(`..${sep}`) ? undefined : name.split(sep).join('/');
}
