import type { DatabaseSync, SQLOutputValue } from 'node:sqlite';
import type { JobOutcome, NewJob } from '../../../domain/jobs/jobs.ts';

/** Writes of jobs, for the thread that writes. JSON is text. */
export function jobWrites(database: DatabaseSync) {
  const add = database.prepare(
    `INSERT INTO jobs (id, kind, issuer, subject, state, request, created_at)
     VALUES (?, ?, ?, ?, 'waiting', ?, ?)`,
  );
  const claim = database.prepare(
    `UPDATE jobs SET state = 'running', runner = ?2, heard_at = ?3, attempts = attempts + 1
     WHERE id = ?1 AND (state = 'waiting' OR state = 'running' AND heard_at < ?4) RETURNING *`,
  );
  const report = database.prepare(
    `UPDATE jobs SET progress = ?4, heard_at = ?3 WHERE id = ?1 AND runner = ?2 AND state = 'running'`,
  );
  const finish = database.prepare(
    `UPDATE jobs SET state = ?3, progress = coalesce(?4, progress), failure = ?5, finished_at = ?6, expires_at = ?7,
     runner = NULL WHERE id = ?1 AND runner = ?2 AND state = 'running'`,
  );
  const remove = database.prepare('DELETE FROM jobs WHERE id = ?');
  const release = database.prepare(
    `UPDATE jobs SET state = 'waiting', runner = NULL WHERE state = 'running'`,
  );

  return {
    addJob({ id, kind, owner, request, createdAt }: NewJob): void {
      add.run(id, kind, owner.issuer, owner.subject, JSON.stringify(request), createdAt);
    },

    claimJob({ id, runner, now, silentSince }: Claim): Record<string, SQLOutputValue> | undefined {
      return claim.get(id, runner, now, silentSince);
    },

    reportJob({ id, runner, now, progress }: Report): boolean {
      return report.run(id, runner, now, JSON.stringify(progress)).changes === 1;
    },

    finishJob({ id, runner, outcome }: End): boolean {
      const { state, progress, failure, finishedAt, expiresAt } = { ...noEnd, ...outcome };
      const json = progress === undefined ? null : JSON.stringify(progress);
      return (
        finish.run(id, runner, state, json, JSON.stringify(failure), finishedAt, expiresAt).changes === 1
      );
    },

    removeJob({ id }: { id: string }): boolean {
      return remove.run(id).changes === 1;
    },

    /** Nobody runs a job any more. */
    releaseJobs(): void {
      release.run();
    },
  };
}

const noEnd = { progress: undefined, failure: null, finishedAt: null, expiresAt: null };

interface Claim {
  readonly id: string;
  readonly runner: string;
  readonly now: number;
  readonly silentSince: number;
}

interface Report {
  readonly id: string;
  readonly runner: string;
  readonly now: number;
  readonly progress: unknown;
}

interface End {
  readonly id: string;
  readonly runner: string;
  readonly outcome: JobOutcome;
}
