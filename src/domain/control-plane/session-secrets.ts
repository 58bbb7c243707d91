import { createHmac, hash, timingSafeEqual } from 'node:crypto';

/** 256 random bits in base64url. Only the cookie of the session contains it. */
export type SessionId = string;

const shape = /^[\w-]{43}$/;

/** Whether a text has the form of a session id or of a CSRF token. */
export function isSecretText(text: string): boolean {
  return shape.test(text);
}

/** The key under which a session is stored, from which its id cannot be derived. Undefined if the text is not an id. */
export function sessionKey(id: string): string | undefined {
  return isSecretText(id) ? hash('sha256', id, 'base64url') : undefined;
}

/** The CSRF token of a session. It is derived from the id, so it need not be stored. */
export function csrfToken(id: SessionId): string {
  return createHmac('sha256', id).update('cairn csrf').digest('base64url');
}

/** Whether header and cookie both contain the token of the session. Compares in constant time. */
export function isCsrfToken(id: SessionId, header: string | undefined, cookie: string | undefined): boolean {
  const token = Buffer.from(csrfToken(id));
  return [header, cookie].every((text) => {
    const given = Buffer.from(text ?? '');
    return given.length === token.length && timingSafeEqual(given, token);
  });
}
