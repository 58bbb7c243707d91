import { open, rename } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';

/** Writes a file that only its owner can read, durably. If the process or the machine stops, the former file stays. */
export async function replaceFile(file: string, text: string): Promise<void> {
  const staged = `${file}.${process.pid}`;
  {
    await using handle = await open(staged, 'w', 0o600);
    await handle.writeFile(text);
    await handle.sync();
  }
  await rename(staged, file);
  await using folder = await open(dirname(resolve(file)));
  await folder.sync();
}
