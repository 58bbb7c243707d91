import { type AuditRecord, auditRecords, putAuditRecords } from '../domain/audit-log/audit-log.ts';
import { administrators, appointAdministrator } from '../domain/control-plane/administrators.ts';
import { sessions } from '../domain/control-plane/sessions.ts';
import { users } from '../domain/control-plane/users.ts';
import { ServiceError } from '../domain/errors.ts';
import { openJobQueue, sharesJobs } from '../jobs.ts';
import type { Log } from '../platform/log.ts';
import { OrderedIds } from '../platform/ordered-ids.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { openStore, type Store } from '../storage/open.ts';
import { openSignatures } from './signatures.ts';
import { openContexts, openServiceSigner, openStatementPool } from './signing.ts';
import { upgradeStore } from './upgrades.ts';

/** A server or file that the services need, and what was found. */
export interface Checked {
  readonly name: 'store' | 'jobs' | 'key' | 'data' | 'admin';
  readonly found: string;
}

/**
 * Creates the collections and indexes of the store, brings its data up to date, and checks every server that the services
 * need. Waits for them as a service does at its start. A repeat changes nothing.
 * @param administrator the e-mail of a user who becomes an administrator; null for nobody.
 * @throws ServiceError as opening the services would; `not_found` without that user.
 */
export async function* setUp(
  settings: Settings,
  log: Log,
  administrator: string | null,
): AsyncGenerator<Checked> {
  await using store = await openStore(settings, (sentence) => log.warn(sentence));
  await store.ready();
  yield { name: 'store', found: store.place };
  await using queue = await openJobQueue(settings, log);
  await queue.ready();
  yield {
    name: 'jobs',
    found: sharesJobs(settings) ? 'shared by all processes through Redis' : 'in each process',
  };
  const signer = await openServiceSigner(settings, log);
  yield { name: 'key', found: signer.did };
  await using identifier = openStatementPool(settings, log, openContexts(settings, store.blobs).registry);
  const { verifying } = await openSignatures(store, { identifier, signer }, settings);
  await upgradeStore({ store, verifying }, log);
  yield { name: 'data', found: 'up to date with this version' };
  if (administrator !== null) yield { name: 'admin', found: await appoint(store, administrator) };
}

/** The change is in the audit log before it is made, like one at the API. */
async function appoint(store: Store, email: string): Promise<string> {
  const now = () => new Date();
  const log = store.of(auditRecords);
  const record: AuditRecord = {
    id: new OrderedIds().next(now().getTime()),
    at: now().getTime(),
    actor: { issuer: 'cairn setup', subject: null, means: 'operator' },
    action: 'PATCH /v1/users/{id}',
    target: null,
    outcome: 'begun',
    code: null,
    requestId: crypto.randomUUID(),
    address: null,
    details: { role: 'admin' },
    isLogged: false,
  };
  await putAuditRecords(log, [record]);
  const ports = {
    users: store.of(users),
    administrators: store.of(administrators),
    sessions: store.of(sessions),
    now,
  };
  try {
    const { id, subject, issuer } = await appointAdministrator(ports, email);
    await putAuditRecords(log, [{ ...record, target: id, outcome: 'done' }]);
    return `${email}, who is ${subject} at ${issuer}`;
  } catch (error) {
    const code = error instanceof ServiceError ? error.code : 'internal';
    await putAuditRecords(log, [{ ...record, outcome: 'refused', code }]);
    throw error;
  }
}
