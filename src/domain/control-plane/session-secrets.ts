import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** 256 random bits in base64url: what a session's cookie holds. Nothing but the cookie has it. */
export type SessionId = string;

const shape = /^[\w-]{43}$/;

/** The name under which a session is stored: its id cannot be found from it. undefined for what is no id. */
export function sessionKey(id: string): string | undefined {
  return shape.test(id) ? hash('sha256', id, 'base64url') : undefined;
}

/** The CSRF token of a session: derived from its id, so that it is stored nowhere and fits no other session. */
export function csrfToken(id: SessionId): string {
  return createHmac('sha256', id).update('cairn csrf').digest('base64url');
}

/** Whether the token of a header and of a cookie are both that of the session. Takes the same time for all of a length. */
export function isCsrfToken(id: SessionId, header: string | undefined, cookie: string | undefined): boolean {
  const token = Buffer.from(csrfToken(id));
  return [header, cookie].every((text) => {
    const given = Buffer.from(text ?? '');
    return given.length === token.length && timingSafeEqual(given, token);
  });
}
