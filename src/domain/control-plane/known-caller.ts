import { ServiceError } from '../errors.ts';
import type { Caller, Means, Role } from './access.ts';
import type { Session } from './sessions.ts';
import { demandEnabled, type User } from './users.ts';

/** A caller with what was read to find out who they are. */
export interface KnownCaller extends Caller {
  /** The stored user of this issuer and subject. */
  readonly user: User | null;
  /** For callers with a browser session. */
  readonly session: Session | null;
}

export interface ProvenCaller {
  readonly issuer: string;
  readonly subject: string;
  readonly means: Exclude<Means, 'disabled'>;
  /** What an auth service says of the role. A stored user has the role that is stored. */
  readonly roleHint?: Role;
}

/**
 * The caller who has proved an issuer and a subject: with the stored role, except that an OIDC bearer is a member
 * whatever is stored.
 * @param user the stored user of that issuer and subject, read for this request.
 * @throws ServiceError `forbidden` for a disabled user, `unauthorized` for a session without its user.
 */
export function callerOf(
  { issuer, subject, means, roleHint = 'member' }: ProvenCaller,
  user: User | undefined,
): Caller {
  demandEnabled(user);
  if (means === 'session' && !user)
    throw new ServiceError('unauthorized', 'The session is over. Log in again.');
  const role = means === 'oidc_bearer' ? 'member' : (user?.role ?? roleHint);
  return { issuer, subject, role, means, userId: user?.id ?? null };
}
