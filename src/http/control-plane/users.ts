import type { z } from 'zod';
import { user, userChange, userList, userParams, userQuery } from '../../contract/control-plane/users.ts';
import {
  changeUser,
  type UserAdministration,
  type UserChange,
} from '../../domain/control-plane/administrators.ts';
import { effectiveRole } from '../../domain/control-plane/known-caller.ts';
import { listUsers, type User } from '../../domain/control-plane/users.ts';
import { note } from '../../platform/audit-trail/entry.ts';
import { jsonOf, pageRequest } from '../answering.ts';
import { errorAnswer, isoOrNull, isoTime, jsonAnswer } from '../answers.ts';
import { type JsonLimits, parsedJsonBody } from '../parsed-request.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const tag = 'Users';

export interface UserRoutes extends UserAdministration {
  readonly limits: JsonLimits;
}

export function userRoutes(app: ControlPlaneApp, { limits, ...ports }: UserRoutes): void {
  operation(app, 'GET /v1/users', {
    access: 'admin',
    tag,
    summary: 'List users in the order of their first sign-in or token',
    description:
      'Users are people who have signed in by browser, and callers whose bearer token one of the services has accepted. A page may be shorter than its limit, or empty. The last page has no next_cursor.',
    query: userQuery,
    answers: { 200: jsonAnswer('A page of users', userList) },
    handle: async ({ answerList, query }) => {
      const { email = null, role = null, disabled = null } = query;
      const page = await listUsers(ports.users, { email, role, disabled }, pageRequest(query));
      return await answerList('users', jsonOf(page.records, userJson), page);
    },
  });

  operation(app, 'PATCH /v1/users/{id}', {
    access: 'admin',
    tag,
    summary: 'Change the role, status or name of a user',
    description:
      'The change applies everywhere from the next request on. Disabling or enabling a user ends all of their sessions.',
    params: userParams,
    body: { 'application/json': { schema: userChange } },
    answers: {
      200: jsonAnswer('The user after the change', user),
      404: errorAnswer('No such user'),
      409: errorAnswer('This is the last enabled administrator'),
    },
    handle: async ({ context, answer, params }) => {
      note(context, { target: params.id });
      const body = await parsedJsonBody(context, userChange, limits);
      note(context, { details: body });
      const { name, ...rest } = body;
      const changes: UserChange = { ...rest, ...(name !== undefined && { nameOverride: name }) };
      return answer(200, userJson(await changeUser(ports, params.id, changes)));
    },
  });
}

function userJson(one: User): z.output<typeof user> {
  const effective = effectiveRole(one, one);
  return {
    id: one.id,
    issuer: one.issuer,
    subject: one.subject,
    email: one.email,
    email_verified: one.emailVerified,
    name: one.nameOverride ?? one.name,
    role: one.role,
    role_source: one.roleSource,
    effective_role: effective.role,
    effective_role_source: effective.roleSource,
    disabled: one.disabled,
    created_at: isoTime(one.createdAt),
    updated_at: isoTime(one.updatedAt),
    last_login_at: isoOrNull(one.lastLoginAt),
  };
}
