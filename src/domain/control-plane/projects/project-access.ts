import { ServiceError } from '../../errors.ts';
import type { Role } from '../access.ts';

/** The permission that every read of a project's agents needs. */
const readPermission = 'view_project_data';

/** A service that decides about callers by their bearer tokens. */
export interface ProjectAuthority {
  /** Asks anew each time. @throws ServiceError `unavailable` when there is no definite answer. */
  allows(bearer: string, permission: string, resource: { type: 'project'; id: string }): Promise<boolean>;
}

/** To whom a project is bound. Projects without a binding are operator projects. */
export interface ProjectBound {
  readonly kind: 'console' | 'operator';
  /** The project's id at the governance console. */
  readonly consoleProjectId: string | null;
}

export interface ProjectReader {
  readonly role: Role;
  /** The bearer token of the request. @throws ServiceError `unauthorized` if it has none. */
  readonly bearer: () => string;
}

export interface ProjectAccess {
  readonly bindingOf: (projectUuid: string) => Promise<ProjectBound | undefined>;
  /** Null if no auth service is configured. */
  readonly authority: ProjectAuthority | null;
}

/** @throws ServiceError `unauthorized`, `forbidden`, `unavailable`. */
export async function authorizeProjectRead(
  { bindingOf, authority }: ProjectAccess,
  reader: ProjectReader,
  projectUuid: string,
): Promise<void> {
  const binding = await bindingOf(projectUuid);
  if (binding?.kind === 'console') await assertConsolePermission(authority, reader, binding.consoleProjectId);
  else assertOperator(reader);
}

/**
 * Rule 1: a project of the governance console needs a bearer token that the auth service authorizes. Sessions and roles
 * do not matter. @throws ServiceError `unauthorized`, `forbidden`, `unavailable`.
 */
export async function assertConsolePermission(
  authority: ProjectAuthority | null,
  { bearer }: Pick<ProjectReader, 'bearer'>,
  consoleProjectId: string | null,
): Promise<void> {
  if (authority === null)
    throw new ServiceError(
      'unavailable',
      'This project is bound to the governance console, and no auth service is configured that could authorize callers. Set -auth-bearer-auth-service-base-url or -adapter-auth-service-base-url.',
    );
  const token = bearer();
  const isAllowed =
    consoleProjectId !== null &&
    (await definiteAnswer(() =>
      authority.allows(token, readPermission, { type: 'project', id: consoleProjectId }),
    ));
  if (!isAllowed)
    throw new ServiceError(
      'forbidden',
      `The auth service does not grant ${readPermission} on this project to the bearer of this token.`,
    );
}

/** Rule 2: a project of the operator is for administrators only. @throws ServiceError `forbidden`. */
export function assertOperator({ role }: Pick<ProjectReader, 'role'>): void {
  if (role !== 'admin')
    throw new ServiceError('forbidden', 'This project is an operator project, so it needs the role admin.');
}

/**
 * Rule 3: only a definite yes counts as one. Every failure to get an answer is an outage.
 * @throws ServiceError `unavailable`.
 */
export async function definiteAnswer(ask: () => Promise<boolean>): Promise<boolean> {
  try {
    return (await ask()) === true;
  } catch (cause) {
    if (cause instanceof ServiceError && cause.code === 'unavailable') throw cause;
    const message = 'The auth service cannot confirm what the caller may do. Try again later.';
    throw new ServiceError('unavailable', message, { cause, retryAfter: 2 });
  }
}
