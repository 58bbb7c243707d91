import { randomUUID } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ServiceError } from '../domain/errors.ts';
import { fileError } from './file-errors.ts';

const probe = Buffer.alloc(64 << 10, 'probe');

/** Writes a small file to disk and reads it. @throws ServiceError `storage_full`, `unavailable`. */
export async function probeFolder(folder: string): Promise<void> {
  const path = join(folder, `probe-${randomUUID()}`);
  try {
    await writeFile(path, probe, { flag: 'wx', mode: 0o600, flush: true });
    if (!probe.equals(await readFile(path)))
      throw new ServiceError('unavailable', `A file in ${folder} has other bytes than were written.`);
  } catch (error) {
    throw fileError(error);
  } finally {
    await rm(path, { force: true }).catch(() => undefined);
  }
}
