import { z } from 'zod';
import { jsonObject } from '../values.ts';

export const lineageEvent = jsonObject.meta({ description: 'A run, job or dataset event' });
/** Each event is read by its own rules, so that the others of a batch can be taken. */
export const lineageBatch = z.array(lineageEvent);

const count = z.int().min(0);

/** As OpenLineage describes the answer. */
export const lineageBatchResult = z
  .object({
    status: z.enum(['success', 'partial_success']),
    summary: z.object({
      received: count,
      successful: count,
      failed: count,
      retriable: count.describe('Of those that failed: how many to send again'),
      non_retriable: count,
    }),
    failed_events: z.array(
      z.object({
        index: count.describe('The position in the request, from 0'),
        reason: z.string(),
        retriable: z.boolean(),
      }),
    ),
  })
  .meta({ id: 'LineageBatchResult', description: 'What became of each event' });
