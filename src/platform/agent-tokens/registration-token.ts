import { ServiceError } from '../../domain/errors.ts';
import { ownTypes } from '../tokens/own-tokens.ts';
import { RefusedToken } from '../tokens/refused-token.ts';
import type { TokenVerifier } from '../tokens/token-verifier.ts';
import { signToken, verifyToken } from './signed-token.ts';

/** Also the audience of the proof that an agent holds its key. */
export const registrationAudience = 'urn:cairn:agent-registration';
const typ = ownTypes.registration;

export interface RegistrationTokenRules {
  /** Null: registration tokens are neither issued nor accepted. */
  readonly secret: string | null;
  readonly issuer: string;
  readonly now: () => Date;
}

interface Minted {
  readonly jti: string;
  /** Who mints it. The subject is unique for its issuer. */
  readonly issuer: string;
  readonly subject: string;
  readonly agentId: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  readonly expiresAt: number;
}

/**
 * The token with which an agent registers once. Services with the secret can tell from `sub` and `subject_issuer` whose agent
 * it is. Tokens of earlier versions had the agent in `sub`; they are accepted until they expire, because only the `jti` leads
 * to the stored token.
 */
export async function signRegistrationToken(
  { secret, issuer }: { readonly secret: string; readonly issuer: string },
  { jti, issuer: subjectIssuer, subject, agentId, createdAt, expiresAt }: Minted,
): Promise<string> {
  const kind = { issuer, audience: registrationAudience, typ };
  return await signToken(secret, kind, {
    claims: { agent_id: agentId, subject_issuer: subjectIssuer },
    subject,
    jti,
    issuedAt: Math.floor(createdAt / 1_000),
    expiresAt: Math.floor(expiresAt / 1_000),
  });
}

/** Verifies registration tokens. Refusals tell the reason, which only the token itself decides. */
export function registrationVerifier({ secret, issuer, now }: RegistrationTokenRules): TokenVerifier {
  return {
    known: () => undefined,
    async verify(token) {
      if (secret === null) throwNoSecret();
      const kind = { issuer, audience: registrationAudience, typ };
      const claims = await verifyToken(token, secret, kind, now()).catch(explain);
      const { sub = '', exp = 0 } = claims;
      return { issuer, subject: sub, claims, expiresAt: exp * 1_000 };
    },
  };
}

export function throwNoSecret(): never {
  throw new ServiceError(
    'unavailable',
    'Agents cannot be registered, because this service has no secret for registration tokens. Set -auth-registration-token-secret (CONTROL_PLANE_AUTH_REGISTRATION_TOKEN_SECRET).',
  );
}

const sentences: Readonly<Partial<Record<RefusedToken['reason'], string>>> = {
  expired: 'The registration token has expired. Mint a new one.',
  bad_signature: 'The registration token was changed, or another service signed it. Mint a new one here.',
  wrong_issuer: 'The registration token is of another issuer. Mint a new one here.',
};

function explain(error: unknown): never {
  if (!(error instanceof RefusedToken)) throw error;
  const other = 'This is not a registration token. Mint one with POST /v1/agent-registration-tokens.';
  throw new RefusedToken(error.reason, error.cause, sentences[error.reason] ?? other);
}
