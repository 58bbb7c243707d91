import { readFile } from 'node:fs/promises';

/** @throws Error whose message completes "the file cannot be used: …". */
export async function readJsonFile(file: string): Promise<unknown> {
  const text = await readFile(file, 'utf8').catch((cause: NodeJS.ErrnoException) => {
    const reason = cause.code === 'ENOENT' ? 'it does not exist' : `it cannot be read (${cause.code})`;
    throw new Error(reason, { cause });
  });
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('it is not JSON', { cause });
  }
}
