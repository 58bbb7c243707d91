import type { z } from 'zod';
import { me } from '../../contract/control-plane/authentication.ts';
import type { KnownCaller } from '../../domain/control-plane/known-caller.ts';
import {
  endSession,
  type Session,
  type SessionLimits,
  type Sessions,
} from '../../domain/control-plane/sessions.ts';
import {
  type CookieRules,
  deleteSessionCookies,
  sessionIdsOf,
} from '../../platform/sign-in/session-cookies.ts';
import { isoTime, jsonAnswer } from '../answers.ts';
import { type ControlPlaneApp, operation } from './operation.ts';

const tag = 'Authentication';

export interface MeRoutes {
  readonly sessions: Sessions;
  readonly limits: SessionLimits;
  readonly cookies: CookieRules;
  readonly now: () => Date;
}

export function meRoutes(app: ControlPlaneApp, { sessions, limits, cookies, now }: MeRoutes): void {
  operation(app, 'GET /v1/me', {
    access: 'authenticated',
    tag,
    summary: 'Show who is calling',
    answers: { 200: jsonAnswer('The caller', me) },
    handle: ({ answer, principal }) => answer(200, meJson(principal, limits, now())),
  });

  operation(app, 'POST /v1/auth/logout', {
    access: 'authenticated',
    audit: 'after',
    tag,
    summary: 'End the session',
    description:
      'The session ends everywhere at once. A bearer token stays valid until it expires or its issuer revokes it.',
    answers: { 204: { description: 'The session has ended' } },
    handle: async ({ context, answer, principal }) => {
      if (principal.means === 'session') {
        for (const id of sessionIdsOf(context)) await endSession({ sessions }, id);
        deleteSessionCookies(context, cookies);
      }
      return answer(204);
    },
  });
}

function meJson(caller: KnownCaller, limits: SessionLimits, now: Date): z.output<typeof me> {
  const { issuer, subject, role, roleSource, means, user, session } = caller;
  return {
    issuer,
    subject,
    role,
    role_source: roleSource,
    means,
    user: user && {
      id: user.id,
      name: user.nameOverride ?? user.name,
      email: user.email,
      email_verified: user.emailVerified,
    },
    session: session && sessionJson(session, limits, now),
  };
}

function sessionJson(session: Session, limits: SessionLimits, now: Date) {
  const { latest, idle } = sessionEnds(session, limits, now);
  return {
    created_at: isoTime(session.createdAt),
    expires_at: isoTime(latest),
    idle_expires_at: isoTime(idle),
  };
}

/** When a session ends at the latest, and when it ends without another request, in milliseconds since 1970. */
export function sessionEnds(
  { createdAt, expiresAt }: Session,
  { maxAge, idleTimeout }: SessionLimits,
  now: Date,
): { latest: number; idle: number } {
  const latest = Math.min(expiresAt, createdAt + maxAge);
  return { latest, idle: Math.min(latest, now.getTime() + idleTimeout) };
}
