import { generateKeyPairSync, type KeyObject } from 'node:crypto';
import { decodeJwt, type JWTPayload, SignJWT } from 'jose';
import { publicKeyOf } from '../../../../src/platform/jwk.ts';
import type { Answer } from '../../service.ts';
import { bearer, type Replica } from '../plane.ts';

export interface AgentKeyPair {
  readonly did: string;
  readonly privateKey: KeyObject;
  readonly alg: 'EdDSA' | 'ES256' | 'ES384';
}

export function newAgentKey(curve: 'Ed25519' | 'P-256' | 'P-384' = 'Ed25519'): AgentKeyPair {
  const { privateKey } =
    curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: curve });
  const { did } = publicKeyOf(privateKey.export({ format: 'jwk' }), ['Ed25519', 'P-256', 'P-384']);
  return { did, privateKey, alg: ({ Ed25519: 'EdDSA', 'P-256': 'ES256', 'P-384': 'ES384' } as const)[curve] };
}

/** The proof for a registration token. Changes replace what is right. */
export async function proofFor(
  token: string,
  { did, privateKey, alg }: AgentKeyPair,
  { typ = 'agent-key-proof+jwt', ...changes }: JWTPayload & { typ?: string } = {},
): Promise<string> {
  const { jti, aud } = decodeJwt(token);
  const now = Math.floor(Date.now() / 1_000);
  const claims = JSON.parse(JSON.stringify({ jti, iss: did, aud, iat: now, ...changes }));
  return await new SignJWT(claims).setProtectedHeader({ alg, typ }).sign(privateKey);
}

export interface MintedToken {
  readonly registration_token: string;
  readonly command_template: string;
  readonly agent_id: string;
  readonly expires_at: string;
}

/** Mints a token as the bearer of an ID token. */
export async function mint(replica: Replica, idToken: string, body: object = {}): Promise<MintedToken> {
  const request = { agent_name: 'Build agent', ...body };
  const { json } = await replica.send('POST', '/v1/agent-registration-tokens', bearer(idToken), request);
  if (json?.registration_token === undefined) throw new Error(`Not minted: ${JSON.stringify(json)}`);
  return json;
}

export async function register(
  replica: Replica,
  token: string,
  key: AgentKeyPair,
  proof?: string,
): Promise<Answer> {
  const body = { did: key.did, proof: proof ?? (await proofFor(token, key)) };
  return await replica.send('POST', '/v1/gateway/registrations', bearer(token), body);
}
