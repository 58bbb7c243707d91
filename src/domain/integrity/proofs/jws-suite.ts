import type { JsonObject } from '../../json/is-object.ts';
import { proofFails, type SignedData, shown } from './proof.ts';

/** Longer than any header and signature. */
const maxJws = 1_000;

/**
 * Reads a detached JWS whose payload is not encoded (RFC 7797), as the suites of 2018 and 2019 use it.
 * @param payload what the suite signs.
 * @throws ProofProblem
 */
export function detachedJws(jws: unknown, algorithm: string, payload: Uint8Array): SignedData {
  const [, header, signature] =
    (typeof jws === 'string' && jws.length <= maxJws && /^([\w-]+)\.\.([\w-]+)$/.exec(jws)) || [];
  if (header === undefined || signature === undefined)
    proofFails(`jws must be a detached JWS, which is header..signature, but it is ${shown(jws)}.`);
  const { alg, b64, crit } = headerOf(header);
  if (alg !== algorithm) proofFails(`The alg of the jws must be "${algorithm}", but it is ${shown(alg)}.`);
  if (b64 !== false || JSON.stringify(crit) !== '["b64"]')
    proofFails('The header of the jws must have "b64": false and "crit": ["b64"].');
  return {
    data: Buffer.concat([Buffer.from(`${header}.`), payload]),
    signature: Buffer.from(signature, 'base64url'),
  };
}

function headerOf(text: string): JsonObject {
  try {
    const header = JSON.parse(Buffer.from(text, 'base64url').toString());
    if (typeof header === 'object' && header !== null) return header;
  } catch {
    // It is refused below.
  }
  proofFails('The header of the jws is not a JSON object in base64url.');
}
