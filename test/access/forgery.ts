import { exportSPKI, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';

/** A key pair of a provider. */
export interface SigningPair {
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly publicKey: CryptoKey;
}

/** Undefined claims and header fields are left out. */
export interface TokenChanges {
  readonly claims?: Readonly<Record<string, unknown>>;
  readonly header?: Readonly<Record<string, unknown>>;
}

export interface TokenForm {
  readonly typ: string | undefined;
  readonly claims: Readonly<Record<string, unknown>>;
}

export async function signed(
  pair: SigningPair,
  form: TokenForm,
  changes: TokenChanges = {},
): Promise<string> {
  const header = { alg: 'RS256', typ: form.typ, kid: pair.kid, ...changes.header };
  return await new SignJWT(payload(form, changes)).setProtectedHeader(defined(header)).sign(pair.privateKey);
}

/** `alg: none`, without a signature. */
export function unsigned(form: TokenForm, changes: TokenChanges = {}): string {
  const [, claims] = new UnsecuredJWT(payload(form, changes)).encode().split('.');
  const header = { alg: 'none', typ: form.typ, ...changes.header };
  return `${Buffer.from(JSON.stringify(header)).toString('base64url')}.${claims}.`;
}

/** HS256 with the provider's public key in PEM as the secret. It confuses verifiers that trust `alg`. */
export async function hs256WithPublicKey(
  pair: SigningPair,
  form: TokenForm,
  changes: TokenChanges = {},
): Promise<string> {
  const secret = new TextEncoder().encode(await exportSPKI(pair.publicKey));
  const header = { alg: 'HS256', typ: form.typ, kid: pair.kid, ...changes.header };
  return await new SignJWT(payload(form, changes)).setProtectedHeader(defined(header)).sign(secret);
}

function payload(form: TokenForm, { claims }: TokenChanges): JWTPayload {
  return JSON.parse(JSON.stringify({ ...form.claims, ...claims }));
}

function defined(header: Record<string, unknown>): JWTHeaderParameters {
  return JSON.parse(JSON.stringify(header));
}
