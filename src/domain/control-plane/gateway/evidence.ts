import type { ErrorDetail } from '../../errors.ts';
import { contentDigest, demandActive, insertOnce, problemAt, refuseBatch } from './batch.ts';
import type { ProjectMembership } from './memberships.ts';
import type { GatewayPorts } from './ports.ts';
import type { ProjectBinding } from './project-bindings.ts';

export type SentMembership = Omit<ProjectMembership, 'digest' | 'receivedAt'>;
export type SentBinding = Omit<ProjectBinding, 'digest' | 'receivedAt'>;

/** @returns the stored memberships, in order. @throws ServiceError as `demandActive` and `insertOnce`. */
export async function keepMemberships(
  ports: Pick<GatewayPorts, 'agents' | 'memberships' | 'now'>,
  sent: readonly SentMembership[],
): Promise<readonly ProjectMembership[]> {
  await demandActive(ports, sent);
  const receivedAt = ports.now().getTime();
  const stored = await insertOnce(ports.memberships, 'key', sent.map(withDigest), async (fresh) =>
    fresh.map((one) => ({ ...one, receivedAt })),
  );
  return stored;
}

/**
 * A project is bound once. Its binding never changes, because a late repeat of an older one would undo the change.
 * @returns the stored bindings, in order. @throws ServiceError as `insertOnce`; `conflict` for a bound project.
 */
export async function keepBindings(
  { bindings, now }: Pick<GatewayPorts, 'bindings' | 'now'>,
  sent: readonly SentBinding[],
): Promise<readonly ProjectBinding[]> {
  const projects = sent.map(({ projectUuid }) => projectUuid);
  const bound = new Map<string, string>();
  for (const { projectUuid, sourceId } of (await bindings.among('key', projects, 1)).flat())
    bound.set(projectUuid, sourceId);
  const problems: ErrorDetail[] = [];
  for (const [index, { projectUuid, sourceId }] of sent.entries()) {
    const by = bound.get(projectUuid) ?? sourceId;
    bound.set(projectUuid, by);
    const reason = `the project is bound already, by the record with the source_id "${by}"`;
    if (by !== sourceId) problems.push(problemAt(index, 'conflict', 'project_uuid', reason));
  }
  refuseBatch(problems);
  const receivedAt = now().getTime();
  const stored = await insertOnce(bindings, 'bySource', sent.map(withDigest), async (fresh) =>
    fresh.map((one) => ({ ...one, receivedAt })),
  );
  return stored;
}

function withDigest<Content extends object>(content: Content): Content & { readonly digest: string } {
  return { ...content, digest: contentDigest(content) };
}
