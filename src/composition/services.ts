import { setImmediate } from 'node:timers/promises';
import type { ControlPlane } from '../control-plane.ts';
import { type Fetch, splitByPath } from '../http/control-plane/paths.ts';
import type { Integrity } from '../integrity.ts';
import type { Log } from '../platform/log.ts';
import { isBesideOther, type ServedService, type Settings } from '../platform/settings/setting-table.ts';
import { openShared } from './shared.ts';

export interface Services extends AsyncDisposable {
  readonly fetch: Fetch;
  /** Description of the store for a log. */
  readonly place: string;
  /** Aborts with a ServiceError when the process has to be restarted. */
  readonly failure: AbortSignal;
  /** Answers `/ready` with 503 and starts no more jobs. Resolves when the running jobs have ended. */
  drain(): Promise<void>;
}

/**
 * Opens services behind one address. Each of them authenticates its callers itself.
 * @param options `worksOnJobs`: whether this process works on shared jobs.
 */
export async function openServices(
  settings: Settings,
  log: Log,
  services: readonly ServedService[],
  { worksOnJobs }: { readonly worksOnJobs: boolean },
): Promise<Services> {
  await using opened = new AsyncDisposableStack();
  const [shared, modules] = await Promise.all([openShared(settings, log, services), loadModules(services)]);
  opened.use(shared);
  const stop = new AbortController();
  const { signal: stopping } = stop;
  let controlPlane: ControlPlane | undefined;
  let integrity: Integrity | undefined;
  let fetch: Fetch | undefined;
  const isBeside = isBesideOther(services, settings);
  if (modules.controlPlane) {
    const { openControlPlane } = modules.controlPlane;
    controlPlane = opened.use(
      await openControlPlane(shared, settings, log, { besideIntegrity: isBeside, stopping }),
    );
    fetch = controlPlane.app.fetch;
  }
  if (modules.integrity) {
    const { openIntegrityOn, integrityLinks, allLinks } = modules.integrity;
    const options = {
      worksOnJobs,
      neighbours: controlPlane ? [controlPlane.app] : [],
      links: controlPlane?.links ?? (isBeside ? allLinks : integrityLinks),
      besideControlPlane: isBeside,
      stopping,
    };
    integrity = opened.use(await openIntegrityOn(shared, settings, log, options));
    fetch = controlPlane ? splitByPath(controlPlane.app.fetch, integrity.app.fetch) : integrity.app.fetch;
  } else {
    const { removeOldRecords } = await import('../jobs.ts');
    opened.use(removeOldRecords(shared.store, log));
  }
  if (!fetch) throw new TypeError('No service to open.');
  const stack = opened.move();
  const { place, failure } = shared.store;
  const drain = async () => {
    stop.abort();
    await integrity?.drainJobs();
  };
  return { fetch, place, failure, drain, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

/** Loads what the services need. Meanwhile the store opens, because loading begins after its thread has started. */
async function loadModules(services: readonly ServedService[]) {
  await setImmediate();
  return {
    controlPlane: services.includes('control-plane') ? await import('../control-plane.ts') : undefined,
    integrity: services.includes('integrity') ? await import('../integrity.ts') : undefined,
  };
}
