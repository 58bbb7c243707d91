import { ask, askJson } from '../api.js';

/**
 * What the API says of the caller.
 * @typedef {object} Me
 * @property {string | null} subject
 * @property {string} issuer
 * @property {'admin' | 'member'} role
 * @property {'disabled' | 'session' | 'oidc_bearer' | 'auth_service_bearer'} means
 * @property {{ id: string, email: string | null, name: string | null } | null} user
 * @property {{ expires_at: string, idle_expires_at: string } | null} session
 */

/**
 * @typedef {object} User
 * @property {string} id
 * @property {string | null} email
 * @property {string | null} name
 * @property {string} subject
 * @property {'admin' | 'member'} role
 * @property {boolean} disabled
 * @property {string} last_login_at
 */

/**
 * Where people sign in.
 * @typedef {object} Provider
 * @property {string} id
 * @property {string} issuer
 * @property {string} login_url
 */

/** @returns {Promise<{ auth_enabled: boolean, providers: readonly Provider[] }>} */
export async function askProviders() {
  return await askJson('/v1/auth/providers');
}

/** @param {Provider} provider @param {string} returnTo */
export function loginAddress({ login_url }, returnTo) {
  const address = new URL(login_url, location.origin);
  address.searchParams.set('return_to', returnTo);
  return address.href;
}

/** @returns {Promise<Me>} */
export async function askMe() {
  return await askJson('/v1/me');
}

export async function signOut() {
  await ask('/v1/auth/logout', { method: 'POST', headers: csrf() });
}

/**
 * @param {string | undefined} cursor
 * @returns {Promise<{ users: readonly User[], next_cursor?: string }>}
 */
export async function askUsers(cursor) {
  return await askJson(`/v1/users?${new URLSearchParams({ limit: '50', ...(cursor && { cursor }) })}`);
}

/**
 * @param {string} id
 * @param {{ role: 'admin' | 'member' } | { disabled: boolean }} change
 * @returns {Promise<User>}
 */
export async function changeUser(id, change) {
  return await askJson(`/v1/users/${encodeURIComponent(id)}`, {
    method: 'PATCH',
    headers: { ...csrf(), 'content-type': 'application/json' },
    body: JSON.stringify(change),
  });
}

/** The token that shows that a page of this site asks: no other can read the cookie. */
function csrf() {
  const [, token = ''] = /(?:^|; )svc_csrf=([^;]*)/.exec(document.cookie) ?? [];
  return { 'x-csrf-token': decodeURIComponent(token) };
}
