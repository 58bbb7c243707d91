import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface PageFile {
  readonly type: string;
  readonly body: Uint8Array<ArrayBuffer>;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.ts': 'text/javascript; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Scripts and styles of packages, as files that need no others. */
const packaged: Readonly<Record<string, { readonly name: string; readonly path: string }>> = {
  'dagre.js': { name: '@dagrejs/dagre', path: import.meta.resolve('@dagrejs/dagre') },
  'hash-wasm.js': { name: 'hash-wasm', path: import.meta.resolve('hash-wasm/dist/index.esm.min.js') },
  'panzoom.js': {
    name: '@panzoom/panzoom',
    path: import.meta.resolve('@panzoom/panzoom/dist/panzoom.es.js'),
  },
  'uplot.js': { name: 'uplot', path: import.meta.resolve('uplot/dist/uPlot.esm.js') },
  'uplot.css': { name: 'uplot/dist/uPlot.min.css', path: import.meta.resolve('uplot/dist/uPlot.min.css') },
};

const files = new Map<string, PageFile>();

/** A file that the pages load, by its path below `browser` or in `words`; undefined when there is none. */
export async function pageFile(name: string): Promise<PageFile | undefined> {
  const known = files.get(name);
  if (known || !/^(?:[a-z-]+\/)*[a-z-]+\.(?:ts|js|css|svg)$/.test(name)) return known;
  try {
    const body = await contentOf(name);
    const etag = `"${createHash('sha256').update(body).digest('base64url')}"`;
    const file = { type: types[extname(name)] ?? '', body, etag };
    files.set(name, file);
    return file;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function contentOf(name: string): Promise<Uint8Array<ArrayBuffer>> {
  const library = Object.hasOwn(packaged, name) ? packaged[name] : undefined;
  if (library) return new Uint8Array(await readFile(fileURLToPath(library.path)));
  const folder = name.startsWith('words/') ? '../contract' : 'browser';
  const bytes = await readFile(join(import.meta.dirname, folder, name));
  return name.endsWith('.ts') ? browserScript(bytes.toString()) : new Uint8Array(bytes);
}

/** A script without its types, and with the addresses of words and packages, which browsers do not find by name. */
function browserScript(source: string): Uint8Array<ArrayBuffer> {
  let code = stripTypeScriptTypes(source).replaceAll(
    / from '(?:\.\.\/)+contract\/words\//g,
    " from '/ui/files/words/",
  );
  for (const [file, { name }] of Object.entries(packaged))
    code = code.replaceAll(`from '${name}'`, `from '/ui/files/${file}'`);
  return new TextEncoder().encode(code);
}
