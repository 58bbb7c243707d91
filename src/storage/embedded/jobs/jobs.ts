import type { SQLOutputValue, StatementSync } from 'node:sqlite';
import type {
  Job,
  JobFailure,
  JobOutcome,
  JobOwner,
  JobRef,
  JobState,
  JobStore,
  NewJob,
} from '../../../domain/jobs/jobs.ts';
import type { Database } from '../database.ts';

type Row = Record<string, SQLOutputValue>;

export class EmbeddedJobs implements JobStore {
  readonly #writes: Database['writes'];
  readonly #byId: StatementSync;
  readonly #unfinished: StatementSync;
  readonly #waiting: StatementSync;
  readonly #silent: StatementSync;
  readonly #expired: StatementSync;

  constructor({ reader, writes }: Database) {
    this.#writes = writes;
    this.#byId = reader.prepare('SELECT * FROM jobs WHERE id = ?');
    this.#unfinished = reader.prepare(
      `SELECT count(*) AS jobs FROM jobs WHERE issuer = ? AND subject = ? AND state IN ('waiting', 'running')`,
    );
    this.#waiting = reader.prepare(
      `SELECT seq, id, kind FROM jobs WHERE state = 'waiting' ORDER BY seq LIMIT ?`,
    );
    this.#silent = reader.prepare(
      `SELECT seq, id, kind FROM jobs WHERE state = 'running' AND heard_at < ? ORDER BY seq LIMIT ?`,
    );
    this.#expired = reader.prepare('SELECT id, kind FROM jobs WHERE expires_at <= ? LIMIT ?');
  }

  async add(job: NewJob): Promise<void> {
    await this.#writes.run('addJob', job);
  }

  async get(id: string): Promise<Job | undefined> {
    const row = this.#byId.get(id);
    return row && jobOf(row);
  }

  async countUnfinished({ issuer, subject }: JobOwner): Promise<number> {
    return Number(this.#unfinished.get(issuer, subject)?.jobs);
  }

  async claim(
    id: string,
    claim: { runner: string; now: number; silentSince: number },
  ): Promise<Job | undefined> {
    const row = await this.#writes.run('claimJob', { id, ...claim });
    return row && jobOf(row);
  }

  async report(id: string, report: { runner: string; now: number; progress: unknown }): Promise<boolean> {
    return await this.#writes.run('reportJob', { id, ...report });
  }

  async finish(id: string, end: { runner: string; outcome: JobOutcome }): Promise<boolean> {
    return await this.#writes.run('finishJob', { id, ...end });
  }

  async remove(id: string): Promise<boolean> {
    return await this.#writes.run('removeJob', { id });
  }

  async due(silentSince: number, limit: number): Promise<JobRef[]> {
    return [...this.#waiting.all(limit), ...this.#silent.all(silentSince, limit)]
      .sort((one, other) => Number(one.seq) - Number(other.seq))
      .slice(0, limit)
      .map(ref);
  }

  async expired(now: number, limit: number): Promise<JobRef[]> {
    return this.#expired.all(now, limit).map(ref);
  }
}

/** What a process has left running when it ended waits again: there is no other process on this store. */
export async function releaseJobs({ reader, writes }: Database): Promise<void> {
  if (reader.prepare("SELECT 1 FROM jobs WHERE state = 'running'").get())
    await writes.run('releaseJobs', undefined);
}

function ref(row: Row): JobRef {
  return { id: String(row.id), kind: String(row.kind) };
}

export function jobOf(row: Row): Job {
  return {
    ...ref(row),
    owner: { issuer: String(row.issuer), subject: String(row.subject) },
    state: String(row.state) as JobState,
    request: parsed(row.request),
    progress: parsed(row.progress),
    attempts: Number(row.attempts),
    createdAt: Number(row.created_at),
    finishedAt: row.finished_at === null ? null : Number(row.finished_at),
    expiresAt: row.expires_at === null ? null : Number(row.expires_at),
    failure: parsed(row.failure) as JobFailure | null,
  };
}

/** What is no JSON is damaged and stays text, which is none of these: somebody may still have it removed. */
function parsed(text: SQLOutputValue | undefined): unknown {
  try {
    return JSON.parse(String(text));
  } catch {
    return String(text);
  }
}
