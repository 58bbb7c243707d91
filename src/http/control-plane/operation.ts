import {
  authorize,
  type Caller,
  type GuardedOperation,
  type PublicOperation,
} from '../../domain/control-plane/access.ts';
import { ServiceError } from '../../domain/errors.ts';
import type { App } from '../../platform/app.ts';
import { operationsOf } from '../operation.ts';

/** Who is calling may be unknown: then public routes alone answer. */
export type ControlPlaneApp = App<Caller | undefined>;

/** Registers a route of the control plane that asks who is calling. */
export const operation = operationsOf<GuardedOperation, Caller | undefined, Caller>((context, name) => {
  const caller = context.get('principal');
  if (!caller)
    throw new ServiceError(
      'unauthorized',
      'This needs a caller who is known. Log in, or send a bearer token.',
    );
  authorize(caller, name);
  return caller;
});

/** Registers a route that anybody may call. */
export const publicOperation = operationsOf<PublicOperation, Caller | undefined, undefined>(() => undefined);
