import { jwtVerify } from 'jose';
import { sentenceOfError } from '../../contract/sentences.ts';
import { messageOf, ServiceError } from '../../domain/errors.ts';
import { keyOfDid } from '../../domain/integrity/proofs/keys.ts';
import { registrationAudience } from './registration-token.ts';

/** The type of the proof that an agent holds the key of its DID. */
export const keyProofType = 'agent-key-proof+jwt';

const maxAge = '5m';
const clockToleranceSeconds = 30;
/** In the spellings of RFC 8037 and RFC 9864. */
const algorithms = { Ed25519: ['EdDSA', 'Ed25519'], 'P-256': ['ES256'] } as const;

/**
 * Checks a compact JWS by the key of a did:key, which names the registration token by its `jti`.
 * @throws ServiceError `invalid_request` with a pointer to `did` or `proof`.
 */
export async function assertKeyProof(
  proof: string,
  { did, jti, now }: { readonly did: string; readonly jti: string; readonly now: Date },
): Promise<void> {
  const { keyType, key } = keyFor(did);
  if (keyType !== 'Ed25519' && keyType !== 'P-256')
    fail('did', `Keys of the type ${keyType} are not accepted. Make a did:key on Ed25519 or P-256.`);
  const expected = {
    algorithms: [...algorithms[keyType]],
    typ: keyProofType,
    issuer: did,
    audience: registrationAudience,
    requiredClaims: ['jti', 'iat'],
    maxTokenAge: maxAge,
    clockTolerance: clockToleranceSeconds,
    currentDate: now,
  };
  const { payload } = await jwtVerify(proof, key, expected).catch((error: unknown) =>
    fail('proof', `The proof does not hold: ${messageOf(error)}. Sign a new one with the key of the DID.`),
  );
  if (payload.jti !== jti)
    fail('proof', 'The proof is for another registration token. Its jti must be that of the token.');
}

function keyFor(did: string) {
  if (!did.startsWith('did:key:'))
    fail('did', `Only did:key is accepted, not "${did.slice(0, 100)}". Make one on Ed25519 or P-256.`);
  try {
    return keyOfDid(did);
  } catch (error) {
    fail('did', sentenceOfError(error));
  }
}

function fail(member: 'did' | 'proof', reason: string): never {
  throw new ServiceError('invalid_request', reason, { details: [{ pointer: `/${member}`, reason }] });
}
