import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, beforeAll } from 'vitest';
import { type AuditLog, auditRecords } from '../../../src/domain/audit-log/audit-log.ts';
import type { Role } from '../../../src/domain/control-plane/access.ts';
import type { KnownCaller } from '../../../src/domain/control-plane/known-caller.ts';
import type { User } from '../../../src/domain/control-plane/users.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import { auditLogRoutes } from '../../../src/http/control-plane/audit-log.ts';
import type { ControlPlaneApp } from '../../../src/http/control-plane/operation.ts';
import { userRoutes } from '../../../src/http/control-plane/users.ts';
import { AuditTrail } from '../../../src/platform/audit-trail/audit-trail.ts';
import { createApp } from '../../../src/platform/http/app.ts';
import { ByteBudget, RequestLimit } from '../../../src/platform/http/callers.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import { openStore, type Store } from '../../../src/storage/open.ts';
import { administrationOf, usersOf } from '../../contract/nouns.ts';
import { newIdentity } from '../../contract/users.ts';
import { checkAnswers } from '../declared-answers.ts';
import { newServiceStore } from '../service-store.ts';

export interface RecordsService {
  readonly app: ControlPlaneApp;
  readonly store: Store;
  /** What the process has logged. */
  readonly logged: readonly string[];
  /** The caller of the next requests; null for an unknown caller. */
  caller: KnownCaller | null;
  /** Replaces the audit log of the store. */
  auditLog: Pick<AuditLog, 'insert' | 'update'> | null;
  /** Makes a user who has logged in. */
  user(role?: Role): Promise<User>;
  /** Stores queued records. Nothing is recorded afterwards. */
  closeTrail(): Promise<void>;
}

export function callerFor(user: User): KnownCaller {
  const { id: userId, issuer, subject, role, roleSource } = user;
  return { issuer, subject, role, roleSource, means: 'session', userId, user, session: null };
}

/** The routes of users and of the audit log on a new store. The test sets the callers. */
export function useRecords(): RecordsService {
  const opened = new AsyncDisposableStack();
  const logged: string[] = [];
  const log = pino({ level: 'warn' }, { write: (line: string) => void logged.push(line) });
  let store: Store;
  let app: ControlPlaneApp;
  let trail: AuditTrail<KnownCaller>;
  const service: RecordsService = {
    caller: null,
    auditLog: null,
    logged,
    get app() {
      return app;
    },
    get store() {
      return store;
    },
    async user(role = 'member') {
      const user = await usersOf(store).logIn(newIdentity(), { newId: randomUUID(), now: Date.now() });
      const changed = role === 'admin' ? await usersOf(store).change(user.id, { role }, Date.now()) : user;
      return changed as User;
    },
    closeTrail: () => trail[Symbol.asyncDispose](),
  };
  beforeAll(async () => {
    const kept = opened.use(await newServiceStore());
    const settings = readSettings({ ...kept.environment });
    store = opened.use(await openStore(settings, () => undefined));
    const now = () => new Date();
    const auditLog = store.of(auditRecords);
    trail = new AuditTrail<KnownCaller>({
      auditLog: {
        insert: (records) => (service.auditLog ?? auditLog).insert(records),
        update: (...change) => (service.auditLog ?? auditLog).update(...change),
      },
      knowsCallers: true,
      actorOf: ({ issuer, subject, means }) => ({ issuer, subject, means }),
      trustedProxies: null,
      now,
      log,
    });
    app = createApp<KnownCaller>({
      log,
      auditTrail: trail,
      requestLimit: new RequestLimit(settings),
      budget: new ByteBudget(settings),
      showCallStack: false,
      authentication: async (context, next) => {
        context.set('caller', async () => {
          if (service.caller === null) throw new ServiceError('unauthorized', 'Nobody is known.');
          return service.caller;
        });
        await next();
      },
    });
    userRoutes(app, { ...administrationOf(store, now), limits: settings });
    auditLogRoutes(app, { auditLog });
    checkAnswers(app);
  });
  afterAll(async () => {
    await trail[Symbol.asyncDispose]();
    await opened.disposeAsync();
  });
  return service;
}
