import type { DatabaseSync } from 'node:sqlite';
import type { Job } from '../../../domain/jobs/jobs.ts';
import type { StoreContents } from '../../../domain/maintenance/fsck/ports.ts';
import { jobOf } from '../jobs/jobs.ts';

const pageJobs = 100;

/** Every record, as it stands. */
export function* readJobs(reader: DatabaseSync): Generator<readonly Job[]> {
  const page = reader.prepare(`SELECT * FROM jobs WHERE seq > ? ORDER BY seq LIMIT ${pageJobs}`);
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.seq)))
    yield rows.map(jobOf);
}

export function jobReading(reader: DatabaseSync): StoreContents['job'] {
  const byId = reader.prepare('SELECT * FROM jobs WHERE id = ?');
  return async (id) => {
    const row = byId.get(id);
    return row && jobOf(row);
  };
}
