import type { DatabaseSync } from 'node:sqlite';
import type { StoreContents, Unreadable } from '../../domain/integrity/audit-ports.ts';
import type { Job } from '../../domain/jobs.ts';
import { jobOf } from './jobs.ts';
import type { Row } from './statement-rows.ts';

const pageJobs = 100;

/** Every record, as it stands. */
export function* auditedJobs(reader: DatabaseSync): Generator<readonly (Job | Unreadable)[]> {
  const page = reader.prepare(`SELECT * FROM jobs WHERE seq > ? ORDER BY seq LIMIT ${pageJobs}`);
  for (let rows = page.all(0); rows.length > 0; rows = page.all(Number(rows.at(-1)?.seq)))
    yield rows.map(readJob);
}

export function jobReading(reader: DatabaseSync): StoreContents['job'] {
  const byId = reader.prepare('SELECT * FROM jobs WHERE id = ?');
  return async (id) => {
    const row = byId.get(id);
    return row && readJob(row);
  };
}

function readJob(row: Row): Job | Unreadable {
  try {
    return jobOf(row);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { id: String(row.id), problem: 'Its record is no JSON' };
  }
}
