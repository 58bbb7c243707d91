/** What the worker says while it hashes. */
export type Hashing = { readonly read: number } | { readonly cid: string } | { readonly problem: string };

/**
 * The CID of a file's bytes (raw, BLAKE3), computed in a thread of this page.
 * @param tell is called with the share that is read, from 0 to 1.
 * @throws Error if the file cannot be read to its end.
 */
export async function cidOfFile(file: File, tell: (share: number) => void, signal: AbortSignal) {
  const worker = new Worker('/ui/files/file-hash-worker.ts', { type: 'module' });
  try {
    return await new Promise<string>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason));
      worker.addEventListener('error', () => reject(new Error('This browser cannot compute the hash.')));
      worker.addEventListener('message', ({ data }: MessageEvent<Hashing>) => {
        if ('read' in data) tell(file.size === 0 ? 1 : data.read / file.size);
        else if ('cid' in data) resolve(data.cid);
        else reject(new Error(`“${file.name}” cannot be read: ${data.problem}`));
      });
      worker.postMessage(file);
    });
  } finally {
    worker.terminate();
  }
}
