// What the commands read of a disk, for files that were dropped on the page. It stands in for `cli/client/local-files.ts`.

export type PathKind = 'file' | 'folder' | 'stream';

const files = new Map<string, Blob>();
const blockBytes = 1 << 22;

/** Lets commands read these files by their paths. */
export function placeFiles(all: ReadonlyMap<string, Blob>): void {
  files.clear();
  for (const [path, file] of all) files.set(path, file);
}

export async function pathKind(path: string): Promise<PathKind | undefined> {
  if (files.has(path)) return 'file';
  return (await fileNames(path)).length > 0 ? 'folder' : undefined;
}

export async function fileNames(folder: string): Promise<string[]> {
  const within = `${folder}/`;
  return [...files.keys()].filter((path) => path.startsWith(within)).map((path) => path.slice(within.length));
}

export async function* fileChunks(path: string): AsyncGenerator<Uint8Array> {
  const file = fileAt(path);
  for (let at = 0; at < file.size; at += blockBytes) yield await bytesOf(file, at, blockBytes);
}

/** Keeps the last block, because asking the browser for each statement takes longer than to verify it. */
export async function openRandomAccess(path: string) {
  const file = fileAt(path);
  let [start, block]: [number, Uint8Array] = [0, new Uint8Array()];
  return {
    size: file.size,
    async read(offset: number, length: number): Promise<Uint8Array> {
      const wanted = Math.max(Math.min(length, file.size - offset), 0);
      if (offset < start || offset + wanted > start + block.length) {
        block = await bytesOf(file, offset, Math.max(wanted, blockBytes));
        start = offset;
      }
      return block.subarray(offset - start, offset - start + wanted);
    },
    [Symbol.asyncDispose]: async () => {},
  };
}

/** As in `node:fs/promises`. */
export async function readFile(path: string, encoding?: 'utf8'): Promise<Uint8Array | string> {
  const bytes = await bytesOf(fileAt(path), 0, fileAt(path).size);
  return encoding ? Buffer.from(bytes).toString() : bytes;
}

function fileAt(path: string): Blob {
  const file = files.get(path);
  if (!file) throw Object.assign(new Error(`${path} does not exist.`), { code: 'ENOENT' });
  return file;
}

async function bytesOf(file: Blob, start: number, length: number): Promise<Uint8Array> {
  return Buffer.from(await file.slice(start, start + length).arrayBuffer());
}
