import type { Caller } from './access.ts';
import type { Session } from './sessions.ts';
import type { User } from './users.ts';

/** A caller with what was read to find out who they are. */
export interface KnownCaller extends Caller {
  /** The stored user of this issuer and subject. */
  readonly user: User | null;
  /** For callers with a browser session. */
  readonly session: Session | null;
}
