import type { Signer } from '../signer.ts';
import { methodIn } from './keys.ts';

const ipAddress = /^\[|^\d+(?:\.\d+){3}$/;

/**
 * The did:web of a service (The did:web Method, 3.1): host, port as `%3A8443`, and each part of the path after a colon.
 * @returns null unless the URL is https with a host name, because nobody could verify the DID.
 */
export function didWebOf(publicUrl: string): string | null {
  const { protocol, hostname, port, pathname } = new URL(publicUrl);
  if (protocol !== 'https:' || ipAddress.test(hostname)) return null;
  const host = port === '' ? hostname : `${hostname}%3A${port}`;
  const path = pathname.split('/').filter((part) => part !== '');
  return ['did:web', host, ...path.map(idCharacters)].join(':');
}

/** DID Core 1.0, 3.1: other characters than these are percent-encoded. */
function idCharacters(part: string): string {
  return part.replaceAll(/[^\w.%-]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
}

/** The DID document of the service, with its active key and the former ones (DID Core 1.0, 5). */
export function didDocument(did: string, { did: active, keys }: Pick<Signer, 'did' | 'keys'>) {
  const methods = keys.map((key) => ({
    id: methodIn(did, key.did),
    type: 'Multikey' as const,
    controller: did,
    publicKeyMultibase: key.did.slice('did:key:'.length),
  }));
  return {
    '@context': ['https://www.w3.org/ns/did/v1', 'https://w3id.org/security/multikey/v1'],
    id: did,
    alsoKnownAs: [active],
    verificationMethod: methods,
    assertionMethod: methods.map(({ id }) => id),
  };
}
