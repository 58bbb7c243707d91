import { authorize, type GuardedOperation, type PublicOperation } from '../../domain/control-plane/access.ts';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import type { App } from '../../platform/app.ts';
import { operationsOf } from '../operation.ts';

export type ControlPlaneApp = App<KnownCaller>;

/** Registers a route of the control plane that asks who is calling. */
export const operation = operationsOf<GuardedOperation, KnownCaller>({
  identify: (context) => context.get('caller')(),
  authorize,
});

/** Registers a route that anybody may call. */
export const publicOperation = operationsOf<PublicOperation, KnownCaller, undefined>({
  identify: async () => undefined,
  authorize: () => undefined,
});
