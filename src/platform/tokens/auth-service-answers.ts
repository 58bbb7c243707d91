import { z } from 'zod';
import { isName, type VerifiedToken } from './token-verifier.ts';

export interface Answered {
  readonly status: number;
  readonly text: string;
}

const claims = z.record(z.string(), z.unknown());
const validation = z.looseObject({
  valid: z.boolean().default(true),
  active: z.boolean().default(true),
  claims: claims.optional(),
  user: claims.default({}),
});
const authorization = z.object({ allowed: z.boolean() });
const name = z.string().refine(isName, 'is not a valid name');

/** In order of precedence (control plane specification, section 2). */
const subjectNames = ['subject', 'sub', 'userId', 'user_id'];

/**
 * The caller in a validate answer. Its user and its claims are in `user` and `claims`, or at its top.
 * @param issuer the issuer of an answer that names none. @returns undefined when the service rejects the token.
 * @throws Error when the answer is not definite.
 */
export function readCaller(answered: Answered, issuer: string): VerifiedToken | undefined {
  const answer = definite(answered, validation);
  if (!answer?.valid || !answer.active) return undefined;
  const { claims = answer, user } = answer;
  // An empty name counts as absent. A first name that is not text is an error, even if a later name is text.
  const subject = subjectNames
    .flatMap((key) => [answer, user, claims].map((place) => place[key]))
    .find((value) => value !== undefined && value !== null && value !== '');
  const expiry = z
    .number()
    .nullable()
    .parse(claims.exp ?? answer.exp ?? null);
  return {
    issuer: name.parse(claims.iss ?? answer.iss ?? issuer),
    subject: name.parse(subject),
    claims,
    expiresAt: expiry === null ? null : expiry * 1_000,
  };
}

/** @throws Error when an authorize answer is not definite. */
export function readAllowed(answered: Answered): boolean {
  return definite(answered, authorization)?.allowed ?? false;
}

/** A 404 is no refusal: it comes from a wrong path, or from a proxy in front of a service that is away. */
const refusals: readonly number[] = [400, 401, 403, 422];

function definite<Schema extends z.ZodType>({ status, text }: Answered, schema: Schema) {
  if (refusals.includes(status)) return undefined;
  if (status < 200 || status > 299) throw new Error(`it answers ${status}`);
  return schema.parse(jsonOf(text));
}

/** The message of a JSON parser would repeat parts of the answer. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its answer is not JSON');
  }
}
