export interface PublicKey {
  /** did:key, which holds the key itself. */
  readonly did: string;
  readonly jwk: { readonly kty: string; readonly crv: string; readonly x: string; readonly y?: string };
}

/** Signs in the name of the service. */
export interface Signer {
  /** The DID of the active key, which the service registers with. */
  readonly did: string;
  /** The active key, then the former ones, whose signatures stay valid. */
  readonly keys: readonly PublicKey[];
  /** A signature by the active key: Ed25519 (RFC 8032), or ECDSA on P-256 with SHA-256 as r and s, 32 bytes each. */
  sign(bytes: Uint8Array): Promise<Uint8Array>;
}
