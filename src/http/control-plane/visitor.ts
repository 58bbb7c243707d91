import type { Context } from 'hono';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { AppEnv } from '../../platform/http/app-env.ts';

export interface Visitor {
  /** undefined if nobody is signed in. */
  readonly caller: KnownCaller | undefined;
  /** Why the service cannot authenticate the caller now. */
  readonly problem: string | undefined;
}

/** Who looks at a page. */
export async function visitor(context: Context<AppEnv<KnownCaller>>): Promise<Visitor> {
  try {
    return { caller: await context.get('caller')(), problem: undefined };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { caller: undefined, problem: error.code === 'unauthorized' ? undefined : error.message };
  }
}
