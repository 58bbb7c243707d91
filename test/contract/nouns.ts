import {
  type AuditFilter,
  type AuditRecord,
  auditRecords,
  listAuditRecords,
  putAuditRecords,
} from '../../src/domain/audit-log/audit-log.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { removeExpired } from '../../src/domain/collections/expiry.ts';
import {
  administrators,
  changeUser,
  type UserChange,
} from '../../src/domain/control-plane/administrators.ts';
import { bootstrap, type Identity, logIn } from '../../src/domain/control-plane/logins.ts';
import {
  endSessionsOf,
  type Session,
  sessions,
  sessionUsed,
} from '../../src/domain/control-plane/sessions.ts';
import {
  listUsers,
  type User,
  type UserFilter,
  userBySubject,
  users,
} from '../../src/domain/control-plane/users.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import {
  changeRunTimeLimits,
  readRunTimeLimits,
  runTimeLimits,
} from '../../src/domain/integrity/dynamic-config.ts';
import {
  addJob,
  claimJob,
  dueJobs,
  finishJob,
  type JobOutcome,
  type NewJob,
  releaseJobs,
  reportJob,
} from '../../src/domain/jobs/job-records.ts';
import { jobs } from '../../src/domain/jobs/jobs.ts';

type Request = Parameters<typeof listUsers>[2];
type Outcome = User | 'unknown' | 'last_admin';

const noRules = { allowedEmailDomains: [], bootstrapAdminEmail: null };
const at = (time: number) => () => new Date(time);

/** What the domain does with the records of a store, noun by noun. */
export function nounsOf(store: RecordStore) {
  return {
    users: usersOf(store),
    sessions: sessionsOf(store),
    jobs: jobsOf(store),
    auditLog: auditLogOf(store),
    runTimeLimits: limitsOf(store),
  };
}

/** What it takes to change users. */
export function administrationOf(store: RecordStore, now: () => Date) {
  return {
    users: store.of(users),
    administrators: store.of(administrators),
    sessions: store.of(sessions),
    now,
  };
}

export function usersOf(store: RecordStore) {
  const records = store.of(users);
  return {
    records,
    get: (id: string): Promise<User | undefined> => records.get(id),
    bySubject: (issuer: string, subject: string) => userBySubject(records, issuer, subject),
    list: (filter: UserFilter, request: Request) => listUsers(records, filter, request),
    logIn: (identity: Identity, { newId, now }: { newId: string; now: number }) =>
      logIn({ users: records, newId: () => newId, now: at(now) }, identity, noRules),
    bootstrap: (id: string, email: string, now: number) => bootstrap(records, id, email, now),
    async change(id: string, change: UserChange, now: number): Promise<Outcome> {
      try {
        return await changeUser(administrationOf(store, at(now)), id, change);
      } catch (error) {
        if (error instanceof ServiceError && error.code === 'not_found') return 'unknown';
        if (error instanceof ServiceError && error.code === 'conflict') return 'last_admin';
        throw error;
      }
    },
    async keep(user: User): Promise<boolean> {
      return (await records.insert([user]))[0] ?? false;
    },
  };
}

export function sessionsOf(store: RecordStore) {
  const records = store.of(sessions);
  return {
    records,
    add: (session: Session) => records.insert([session]),
    get: (key: string): Promise<Session | undefined> => records.get(key),
    async touch(key: string, now: number): Promise<void> {
      const session = await records.get(key);
      if (session)
        await sessionUsed({ sessions: records, now: at(now) }, session, { maxAge: 1, idleTimeout: 1 });
    },
    remove: (key: string) => records.remove(key),
    removeOfUser: (userId: string) => endSessionsOf(records, userId),
    removeExpired: (now: number) => removeExpired(store, [sessions], now),
  };
}

export function jobsOf(store: RecordStore) {
  const records = store.of(jobs);
  return {
    records,
    add: (job: NewJob) => addJob(records, job),
    get: (id: string) => records.get(id),
    claim: (id: string, claim: Parameters<typeof claimJob>[2]) => claimJob(records, id, claim),
    report: (id: string, report: Parameters<typeof reportJob>[2]) => reportJob(records, id, report),
    finish: (id: string, end: { runner: string; outcome: JobOutcome }) => finishJob(records, id, end),
    remove: (id: string) => records.remove(id),
    due: (silentSince: number, limit: number) => dueJobs(records, silentSince, limit),
    release: (silentSince: number) => releaseJobs(records, silentSince),
    removeExpired: (now: number) => removeExpired(store, [jobs], now),
  };
}

export function auditLogOf(store: RecordStore) {
  const records = store.of(auditRecords);
  return {
    records,
    put: (some: readonly AuditRecord[]) => putAuditRecords(records, some),
    list: (filter: AuditFilter, request: Request) => listAuditRecords(records, filter, request),
  };
}

export function limitsOf(store: RecordStore) {
  const records = store.of(runTimeLimits);
  return {
    records,
    read: () => readRunTimeLimits(records),
    change: (changes: Parameters<typeof changeRunTimeLimits>[1]) => changeRunTimeLimits(records, changes),
  };
}
