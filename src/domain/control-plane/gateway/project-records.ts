import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { firstRecord } from '../../collections/records.ts';

const time = z.int();

/** What every record of a gateway has. */
export const reported = {
  /** The gateway's own id. */
  sourceId: z.string().min(1),
  /** The digest of what was sent, to tell a repeat from a contradiction. */
  digest: z.string().min(1),
  receivedAt: time,
};

/** Evidence that an agent was a member of a project, under the DID that it used there. */
export const projectMemberships = collection('project_memberships', {
  shape: z.object({
    ...reported,
    projectUuid: z.string().min(1),
    agentId: z.string().min(1),
    subjectDid: z.string().min(1),
    validFrom: time,
    validUntil: time.nullable(),
    credentialId: z.string().nullable(),
    status: z.string().nullable(),
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

/**
 * Who decides about the readers of a project. Of several bindings the one that was received last counts. A project without
 * one is an operator project.
 */
export const projectBindings = collection('project_bindings', {
  shape: z.object({
    projectUuid: z.string().min(1),
    ...reported,
    kind: z.enum(['console', 'operator']),
    /** The project in the governance console; null for an operator project. */
    consoleProjectId: z.string().nullable(),
    /** The place among the records of its request. */
    position: z.int(),
  }),
  key: 'sourceId',
  indexes: { byProject: ['projectUuid', 'receivedAt', 'position'] },
  order: 'descending',
});

export type ProjectBinding = Readonly<z.output<typeof projectBindings.shape>>;
export type ProjectBindings = RecordsOf<typeof projectBindings>;

/** The binding of a project that counts. */
export async function bindingOf(
  bindings: Pick<ProjectBindings, 'page'>,
  projectUuid: string,
): Promise<ProjectBinding | undefined> {
  return await firstRecord(bindings, 'byProject', [projectUuid]);
}
