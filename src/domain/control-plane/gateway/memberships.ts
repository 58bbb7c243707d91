import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

const time = z.int();

/** Evidence that an agent was a member of a project, under the DID that it used there. */
export const projectMemberships = collection('project_memberships', {
  shape: z.object({
    /** The gateway's own id. */
    sourceId: z.string().min(1),
    projectUuid: z.string().min(1),
    agentId: z.string().min(1),
    subjectDid: z.string().min(1),
    validFrom: time,
    validUntil: time.nullable(),
    credentialId: z.string().nullable(),
    status: z.string().nullable(),
    /** The digest of what was sent, to tell a repeat from a contradiction. */
    digest: z.string().min(1),
    receivedAt: time,
  }),
  key: 'sourceId',
  indexes: {
    byProject: ['projectUuid', 'agentId'],
    bySubject: ['projectUuid', 'subjectDid'],
    byAgent: ['agentId', 'projectUuid'],
  },
});

export type ProjectMembership = Readonly<z.output<typeof projectMemberships.shape>>;
export type ProjectMemberships = RecordsOf<typeof projectMemberships>;
