import { callerKey, type Principal } from '../../access/access.ts';
import { sha256Digest } from '../identifiers/hashing.ts';

const start = 'registrar:';

/**
 * A name for a principal who registers statements in a project (null: in no graph). A hash, because it is kept with
 * statements. It is no DID, so it never looks like a signer.
 */
export function registrarKey(
  principal: Pick<Principal, 'issuer' | 'subject'>,
  projectId: string | null,
): string {
  const text = JSON.stringify([callerKey(principal), projectId]);
  return (
    start +
    Buffer.from(sha256Digest(Buffer.from(text)))
      .subarray(0, 16)
      .toString('base64url')
  );
}
