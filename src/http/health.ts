import { setTimeout as delay } from 'node:timers/promises';
import type { Context } from 'hono';
import type { z } from 'zod';
import { alive, ready } from '../contract/health.ts';
import { ServiceError } from '../domain/errors.ts';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { errorAnswer } from '../platform/http/error-response.ts';
import { type Answers, readyAnswer } from './answering.ts';
import { jsonAnswer } from './answers.ts';
import type { Operation } from './operation.ts';

export interface Readiness {
  /** Rejects if the service cannot do its work. */
  readonly ready: () => Promise<void>;
  /** What an operator should look at, although the service can do its work. */
  readonly warnings?: () => Promise<readonly string[]>;
  /** Aborted when the process is about to end. It is not ready then. */
  readonly stopping: AbortSignal;
  /** A monotonic clock in milliseconds. */
  readonly clock?: () => number;
}

type Register<Caller> = <const Described extends Answers>(
  app: App<Caller>,
  name: `${string} /${string}`,
  row: Operation<Caller, 'public', z.ZodObject, z.ZodObject, Described>,
) => void;

/**
 * How long a service that was ready stays ready while its store is away. A load balancer that takes out all processes at once
 * refuses connections; the processes answer 503 and say when to come back.
 */
export const graceMs = 60_000;
/** A probe does not wait as long as the store may take. */
const patienceMs = 1_000;

const tag = 'Health';
/** The routes for probes, which have no token. */
export function healthRoutes<Caller>(
  app: App<Caller>,
  register: Register<Caller>,
  liveness: `GET /${string}`,
  { ready: check, warnings = async () => [], stopping, clock = () => performance.now() }: Readiness,
): void {
  register(app, liveness, {
    access: 'public',
    tag,
    summary: 'Check liveness',
    answers: { 200: jsonAnswer('Alive', alive) },
    handle: ({ context, answer }) => {
      context.set('isProbe', true);
      return answer(200, { status: 'up' });
    },
  });

  let readyAt = Number.NEGATIVE_INFINITY;
  let problem: string | undefined;
  let warned: readonly string[] = [];
  let running: Promise<string | undefined> | undefined;

  async function look(log: AppEnv<Caller>['Variables']['log']): Promise<string | undefined> {
    try {
      await check();
      warned = await warnings();
      if (problem !== undefined) log.info('The service is ready again.');
      problem = undefined;
      readyAt = clock();
    } catch (err) {
      const reason = err instanceof ServiceError ? err.message : 'The store does not answer.';
      if (problem === undefined) log.warn({ err }, `The service is not ready: ${reason}`);
      problem = reason;
    }
    return problem;
  }

  /** Anybody may ask, so questions at the same time share one check. */
  const shared = ({ context }: { readonly context: Context<AppEnv<Caller>> }) => {
    running ??= look(context.get('log')).finally(() => {
      running = undefined;
    });
    return running;
  };

  register(app, 'GET /ready', {
    access: 'public',
    tag,
    summary: 'Check readiness',
    description:
      'Whether the service can do its work. It stays ready for 60 s without its store, and then says the `problem`.',
    answers: { 200: jsonAnswer('Ready', ready) },
    handle: async (call) => {
      const { context, answer } = call;
      context.set('isProbe', true);
      const unready = (reason: string) =>
        readyAnswer(errorAnswer(new ServiceError('unavailable', reason, { retryAfter: 1 }), context));
      if (stopping.aborted) return unready('The service is stopping.');
      const looked = shared(call);
      const isInGrace = clock() - readyAt < graceMs;
      const late = delay(patienceMs, problem ?? 'The store has not answered yet.', { ref: false });
      const found = await (isInGrace ? Promise.race([looked, late]) : looked);
      if (found !== undefined && !isInGrace) return unready(found);
      const said = {
        ...(found !== undefined && { problem: found }),
        ...(warned.length > 0 && { warnings: [...warned] }),
      };
      return answer(200, { status: 'up', ...said });
    },
  });
}
