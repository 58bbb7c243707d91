import { authorize, type Operation, type Principal } from '../../domain/access.ts';
import { operationsOf } from '../operation.ts';

/** Registers a route of the integrity service. */
export const operation = operationsOf<Operation, Principal>((context, name) => {
  const principal = context.get('principal');
  authorize(principal, name);
  return principal;
});
