import { type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { throwAsJose } from '../tokens/refused-token.ts';

/** What tells one kind of token from all others. */
export interface TokenKind {
  readonly issuer: string;
  readonly audience: string;
  /** The media type without `application/` (RFC 8725, section 3.11). */
  readonly typ: string;
}

const algorithm = 'HS256';
const clockToleranceSeconds = 5;

/** @param content `expiresAt` is in seconds since 1970. */
export async function signToken(
  secret: string,
  { issuer, audience, typ }: TokenKind,
  content: {
    readonly claims: JWTPayload;
    readonly subject: string;
    readonly jti: string;
    readonly issuedAt: number;
    readonly expiresAt: number;
  },
): Promise<string> {
  return await new SignJWT(content.claims)
    .setProtectedHeader({ alg: algorithm, typ })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(content.subject)
    .setJti(content.jti)
    .setIssuedAt(content.issuedAt)
    .setExpirationTime(content.expiresAt)
    .sign(Buffer.from(secret));
}

/** The claims of a token of this kind. @throws RefusedToken. */
export async function verifyToken(
  token: string,
  secret: string,
  { issuer, audience, typ }: TokenKind,
  now: Date,
): Promise<JWTPayload> {
  const expected = {
    algorithms: [algorithm],
    issuer,
    audience,
    typ,
    requiredClaims: ['sub', 'jti', 'iat', 'exp'],
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
  };
  return (await jwtVerify(token, Buffer.from(secret), expected).catch(throwAsJose)).payload;
}
