import { contentDigest, demandActive, insertOnce } from './batch.ts';
import type { ProjectMembership } from './memberships.ts';
import type { GatewayPorts } from './ports.ts';
import type { ProjectBinding } from './project-bindings.ts';

export type SentMembership = Omit<ProjectMembership, 'digest' | 'receivedAt'>;
export type SentBinding = Omit<ProjectBinding, 'digest' | 'receivedAt' | 'position'>;

/** @returns the stored memberships, in order. @throws ServiceError as `demandActive` and `insertOnce`. */
export async function keepMemberships(
  ports: Pick<GatewayPorts, 'agents' | 'memberships' | 'now'>,
  sent: readonly SentMembership[],
): Promise<readonly ProjectMembership[]> {
  await demandActive(ports, sent);
  const receivedAt = ports.now().getTime();
  return await insertOnce(ports.memberships, 'key', sent.map(withDigest), async (fresh) =>
    fresh.map((one) => ({ ...one, receivedAt })),
  );
}

/**
 * A later binding of a project replaces the earlier one. A repeat of the earlier one changes nothing.
 * @returns the stored bindings, in order. @throws ServiceError as `insertOnce`.
 */
export async function keepBindings(
  { bindings, now }: Pick<GatewayPorts, 'bindings' | 'now'>,
  sent: readonly SentBinding[],
): Promise<readonly ProjectBinding[]> {
  const receivedAt = now().getTime();
  return await insertOnce(bindings, 'key', sent.map(withDigest), async (fresh) =>
    fresh.map((one, position) => ({ ...one, receivedAt, position })),
  );
}

function withDigest<Content extends object>(content: Content): Content & { readonly digest: string } {
  return { ...content, digest: contentDigest(content) };
}
