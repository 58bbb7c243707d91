import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

const folder = join(import.meta.dirname, 'browser');

const types: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts of packages, as files that need no others. */
const packaged: Readonly<Record<string, { readonly name: string; readonly path: string }>> = {
  'dagre.js': { name: '@dagrejs/dagre', path: import.meta.resolve('@dagrejs/dagre') },
  'panzoom.js': {
    name: '@panzoom/panzoom',
    path: import.meta.resolve('@panzoom/panzoom/dist/panzoom.es.js'),
  },
};

const files = new Map<string, PageFile>();

/** A file that the pages load, by its path below `browser`; undefined when there is none. */
export async function pageFile(name: string): Promise<PageFile | undefined> {
  if (!/^(?:[a-z-]+\/)*[a-z-]+\.(?:js|css|svg)$/.test(name)) return undefined;
  const file = files.get(name) ?? (await readPageFile(name));
  if (file) files.set(name, file);
  return file;
}

async function readPageFile(name: string): Promise<PageFile | undefined> {
  const type = types[extname(name)];
  if (type === undefined) return undefined;
  try {
    const body = await contentOf(name);
    return { type, body, etag: `"${createHash('sha256').update(body).digest('base64url')}"` };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function contentOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const library = Object.hasOwn(packaged, name) ? packaged[name] : undefined;
  if (library) return new Uint8Array(await readFile(fileURLToPath(library.path)));
  const bytes = await readFile(join(folder, name));
  return name.endsWith('.js')
    ? new TextEncoder().encode(withAddresses(bytes.toString()))
    : new Uint8Array(bytes);
}

/** Our scripts import packages by name, as checkers and tests do; a browser needs the address. */
function withAddresses(script: string): string {
  let text = script;
  for (const [file, { name }] of Object.entries(packaged))
    text = text.replaceAll(`from '${name}'`, `from '/ui/files/${file}'`);
  return text;
}
