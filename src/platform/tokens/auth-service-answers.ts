import { type Claims, isName, type VerifiedToken } from './token-verifier.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

/** In the order in which they count (control plane specification, section 2). */
const subjectNames = ['subject', 'sub', 'userId', 'user_id'];

/**
 * What a validate answer says. Its user and its claims stand in `user` and `claims`, or at its top.
 * @returns undefined when it refuses the token for certain.
 * @throws Error when it says nothing definite.
 */
export function readCaller({ status, text }: Answered, baseUrl: string): VerifiedToken | undefined {
  if (status === 401 || status === 403) return undefined;
  const answer = jsonObject(status, text);
  const isRefused = ['valid', 'active'].some((name) => isFalse(answer, name));
  if (isRefused) return undefined;
  const { claims = answer, user = {} } = answer;
  if (!isObject(claims) || !isObject(user)) throw new Error('its "claims" or "user" is no object');
  const issuer = claims.iss ?? answer.iss ?? baseUrl;
  if (!isName(issuer)) throw new Error('its "iss" is no name');
  return {
    issuer,
    subject: subjectOf([answer, user, claims]),
    claims,
    expiresAt: expiryOf(claims.exp ?? answer.exp ?? null),
  };
}

/** @throws Error when an authorize answer says nothing definite. */
export function readAllowed({ status, text }: Answered): boolean {
  if (status === 401 || status === 403) return false;
  const { allowed } = jsonObject(status, text);
  if (typeof allowed !== 'boolean') throw new Error('its "allowed" is neither true nor false');
  return allowed;
}

/** A present name that holds no text is no reason to look for another one. */
function subjectOf(places: readonly Claims[]): string {
  const subject = subjectNames
    .flatMap((name) => places.map((place) => place[name]))
    .find((value) => value !== undefined && value !== null);
  if (subject === undefined) throw new Error('it names no subject');
  if (isName(subject)) return subject;
  throw new Error('its subject is no name');
}

function expiryOf(seconds: unknown): number | null {
  if (seconds === null) return null;
  if (typeof seconds === 'number' && Number.isFinite(seconds)) return seconds * 1_000;
  throw new Error('its "exp" is no number');
}

function isFalse(answer: Claims, name: string): boolean {
  const { [name]: value = true } = answer;
  if (typeof value !== 'boolean') throw new Error(`its "${name}" is neither true nor false`);
  return !value;
}

function jsonObject(status: number, text: string): Claims {
  if (status < 200 || status > 299) throw new Error(`it answers ${status}`);
  const json = parsed(text);
  if (!isObject(json)) throw new Error('its answer is no JSON object');
  return json;
}

/** The problem of a parser would repeat what stands there. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
