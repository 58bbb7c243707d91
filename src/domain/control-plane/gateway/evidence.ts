import { assertActive, contentDigest, insertOnce } from './batch.ts';
import type { GatewayPorts } from './ports.ts';
import type { ProjectBinding, ProjectMembership } from './project-records.ts';
export type SentMembership = Omit<ProjectMembership, 'digest' | 'receivedAt'>;
export type SentBinding = Omit<ProjectBinding, 'digest' | 'receivedAt' | 'position'>;

/** @returns the stored memberships, in order. @throws ServiceError as `assertActive` and `insertOnce`. */
export async function keepMemberships(
  ports: Pick<GatewayPorts, 'agents' | 'users' | 'memberships' | 'now'>,
  sent: readonly SentMembership[],
): Promise<readonly ProjectMembership[]> {
  await assertActive(ports, sent);
  const receivedAt = ports.now().getTime();
  return await insertOnce(ports.memberships, 'key', sent.map(withDigest), async (fresh) =>
    fresh.map((one) => ({ ...one, receivedAt })),
  );
}

export interface BindingChange {
  /** Undefined if the project had no binding. */
  readonly old: ProjectBinding | undefined;
  readonly binding: ProjectBinding;
}

/**
 * A later binding of a project replaces the earlier one. A repeat of the earlier one changes nothing.
 * @returns the stored bindings, in order, and those that are new. @throws ServiceError as `insertOnce`.
 */
export async function keepBindings(
  { bindings, now }: Pick<GatewayPorts, 'bindings' | 'now'>,
  sent: readonly SentBinding[],
): Promise<{ readonly stored: readonly ProjectBinding[]; readonly changes: readonly BindingChange[] }> {
  const receivedAt = now().getTime();
  const changes: BindingChange[] = [];
  const stored = await insertOnce(bindings, 'key', sent.map(withDigest), async (fresh) => {
    const projects = fresh.map(({ projectUuid }) => projectUuid);
    const found = await bindings.among('byProject', projects, 1);
    const current = new Map(found.map(([binding], at) => [projects[at], binding]));
    return fresh.map((one, position) => {
      const binding = { ...one, receivedAt, position };
      changes.push({ old: current.get(one.projectUuid), binding });
      current.set(one.projectUuid, binding);
      return binding;
    });
  });
  // Another request may have stored the same binding meanwhile.
  const kept = new Set(stored);
  return { stored, changes: changes.filter(({ binding }) => kept.has(binding)) };
}

function withDigest<Content extends object>(content: Content): Content & { readonly digest: string } {
  return { ...content, digest: contentDigest(content) };
}
