import { type Recording, usualRecording } from '../audit-log/recording.ts';
import type { Operation } from './access.ts';

/** Who comes and goes is recorded, too; nobody is kept from going because that cannot be stored. */
const exceptions: Partial<Record<Operation, Recording>> = {
  'GET /v1/auth/login': 'queued',
  'GET /v1/auth/callback/{provider}': 'after',
  'POST /v1/auth/logout': 'after',
};

export function recordingOf(operation: Operation): Recording {
  return exceptions[operation] ?? usualRecording(operation);
}
