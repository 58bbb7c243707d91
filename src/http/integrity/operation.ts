import { authorize, isPublic, nobody, type Operation, type Principal } from '../../domain/access.ts';
import { operationsOf } from '../operation.ts';

/** Registers a route of the integrity service. */
export const operation = operationsOf<Operation, Principal>({
  identify: async (context, name) => (isPublic(name) ? nobody : await context.get('caller')()),
  authorize,
});
