import { globSync, readFileSync, statSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join, posix, sep } from 'node:path';
import { type Cid, cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { statementTime } from '../../src/domain/integrity/identifiers/timestamp.ts';

const root = join(import.meta.dirname, '..', '..');
const folders = ['src', 'workers', 'queues', 'test', 'bench'];
const documents = [
  'README.md',
  'LICENSE',
  'package.json',
  'package-lock.json',
  'tsconfig.json',
  'biome.json',
];

export interface Content {
  /** With `/`, relative to the repository. */
  readonly path: string;
  readonly bytes: Buffer;
  readonly cid: Cid;
  readonly mediaType: string;
  /** The last change of the file or its source. */
  readonly changedAt: string;
}

/** A source file, the output that Node makes of it, and the files that the output depends on. */
export interface Source extends Content {
  readonly imports: readonly Content[];
  readonly output: Content;
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.ts': 'text/typescript',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.md': 'text/markdown',
};

/** The TypeScript files of this repository. */
export function readSources(): Source[] {
  const patterns = folders.map((folder) => `${folder}/**/*.ts`);
  const paths = globSync(patterns, { cwd: root }).map((path) => path.replaceAll(sep, '/'));
  const files = new Map(paths.toSorted().map((path) => [path, readContent(path)]));
  return [...files.values()].map((file) => ({
    ...file,
    imports: importedPaths(file).flatMap((path) => files.get(path) ?? []),
    output: stripped(file),
  }));
}

/** The governing documents that exist. */
export function readDocuments(): Content[] {
  return globSync(documents, { cwd: root }).toSorted().map(readContent);
}

function readContent(path: string): Content {
  const bytes = readFileSync(join(root, path));
  return content(path, bytes, statementTime(statSync(join(root, path)).mtime));
}

function content(path: string, bytes: Buffer, changedAt: string): Content {
  const mediaType = mediaTypes[posix.extname(path)] ?? 'text/plain';
  return { path, bytes, cid: cidOf(codecs.raw, bytes), mediaType, changedAt };
}

function stripped({ path, bytes, changedAt }: Content): Content {
  const code = stripTypeScriptTypes(bytes.toString(), { mode: 'strip' });
  return content(path.replace(/\.ts$/, '.js'), Buffer.from(code), changedAt);
}

const importPattern = /\b(?:from|import)\s+'(\.{1,2}\/[^']+)'/g;

function importedPaths({ path, bytes }: Content): string[] {
  const targets = bytes.toString().matchAll(importPattern);
  return [...new Set([...targets].map(([, target = '']) => posix.join(dirname(path), target)))];
}
