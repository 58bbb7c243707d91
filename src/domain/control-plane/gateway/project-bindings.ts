import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/** Who decides about the readers of a project. A project without a binding is an operator project. */
export const projectBindings = collection('project_bindings', {
  shape: z.object({
    projectUuid: z.string().min(1),
    /** The gateway's own id. */
    sourceId: z.string().min(1),
    kind: z.enum(['console', 'operator']),
    /** The project in the governance console; null for an operator project. */
    consoleProjectId: z.string().nullable(),
    /** The digest of what was sent, to tell a repeat from a contradiction. */
    digest: z.string().min(1),
    receivedAt: z.int(),
  }),
  key: 'projectUuid',
  unique: { bySource: ['sourceId'] },
});

export type ProjectBinding = Readonly<z.output<typeof projectBindings.shape>>;
export type ProjectBindings = RecordsOf<typeof projectBindings>;
