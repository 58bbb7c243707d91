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
    proofFails({ code: 'not_detached_jws', value: shown(jws) });
  const { alg, b64, crit } = headerOf(header);
  if (alg !== algorithm) proofFails({ code: 'wrong_jws_algorithm', wanted: algorithm, value: shown(alg) });
  if (b64 !== false || JSON.stringify(crit) !== '["b64"]') proofFails({ code: 'wrong_jws_options' });
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
  proofFails({ code: 'jws_header_unreadable' });
}
