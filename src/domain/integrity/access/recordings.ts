import type { Operation } from '../../access/access.ts';
import { type Recording, usualRecording } from '../../audit-log/recording.ts';

/** What comes thousands of times a second is queued; what computes and stores nothing is no change. */
const exceptions: Partial<Record<Operation, Recording>> = {
  'PUT /statements/v1': 'queued',
  'PUT /statements/v1/batch': 'queued',
  'PUT /statements/v1/create/did/{did_key}': 'queued',
  'PUT /store/v1/blob': 'queued',
  'PUT /store/v1/blob/batch': 'queued',
  'PUT /store/v1/jcs': 'queued',
  // Any token may ask for it, and asks in vain but for exports of its own.
  'DELETE /manifest/v1/exports/{id}': 'after',
  'POST /utils/v1/integrity/statement/compute-id': 'none',
  'POST /utils/v1/json-ld/rdfc_cid': 'none',
  'POST /utils/v1/json-ld/to-nquads': 'none',
};

export function recordingOf(operation: Operation): Recording {
  return exceptions[operation] ?? usualRecording(operation);
}

/** Where everybody is the same caller, content is not recorded: a record would say nothing of who stored it. */
export function recordingWithoutCallers(operation: Operation): Recording {
  const recording = recordingOf(operation);
  return recording === 'queued' ? 'none' : recording;
}
