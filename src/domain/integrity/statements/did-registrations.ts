import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/**
 * The DidRegistrations that this service has made. Anybody can store a statement that names the service as
 * `registeredBy`, so the statement alone proves nothing.
 */
export const didRegistrations = collection('did_registrations', {
  shape: z.object({
    /** See `registrationId`. */
    id: z.string().min(1),
    jcsCid: z.string().min(1),
    createdAt: z.int(),
  }),
  key: 'id',
});

export type DidRegistrations = RecordsOf<typeof didRegistrations>;

/** @param graphId null for a registration outside of graphs. */
export function registrationId(registeredBy: string, did: string, graphId: string | null): string {
  return JSON.stringify([registeredBy, did, graphId]);
}
