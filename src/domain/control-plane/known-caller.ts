import type { Caller, Means, Role } from './access.ts';
import type { Session } from './sessions.ts';
import { assertEnabled, type User } from './users.ts';

/** A caller with the records that identified them. */
export interface KnownCaller extends Caller {
  readonly user: User | null;
  readonly session: Session | null;
}

export interface ProvenCaller {
  readonly issuer: string;
  readonly subject: string;
  readonly means: Exclude<Means, 'disabled'>;
  /** The role that an auth service states. It counts until the user logs in by browser or somebody chooses a role. */
  readonly roleHint?: Role;
}

/**
 * The caller with the stored role, except that an OIDC bearer is always a member.
 * @param user the stored user with that issuer and subject.
 * @throws ServiceError `forbidden` for a disabled user.
 */
export function callerOf(
  { issuer, subject, means, roleHint = 'member' }: ProvenCaller,
  user: User | undefined,
): Caller {
  assertEnabled(user);
  const effective: Pick<Caller, 'role' | 'roleSource'> =
    means === 'oidc_bearer'
      ? { role: 'member', roleSource: 'id_token' }
      : effectiveRole(user, {
          isAdminByClaim: means === 'auth_service_bearer' && roleHint === 'admin',
        });
  return { issuer, subject, ...effective, means, userId: user?.id ?? null };
}

/**
 * The stored role, unless nobody has chosen it, the user has never logged in by browser, and their claims say admin.
 * @param user undefined if the caller is not stored.
 */
export function effectiveRole(
  user: Pick<User, 'role' | 'roleSource' | 'lastLoginAt'> | undefined,
  { isAdminByClaim }: { readonly isAdminByClaim: boolean },
): { readonly role: Role; readonly roleSource: User['roleSource'] | 'claim' } {
  const isHinted = !user || (user.roleSource === 'default' && user.lastLoginAt === null);
  if (isHinted && isAdminByClaim) return { role: 'admin', roleSource: 'claim' };
  return { role: user?.role ?? 'member', roleSource: user?.roleSource ?? 'default' };
}
