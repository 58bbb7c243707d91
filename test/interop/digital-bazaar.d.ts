// These packages have no types. Only what the tests use is declared.
declare module '@digitalbazaar/vc' {
  interface Options {
    readonly credential: object;
    readonly suite: object;
    readonly documentLoader: (url: string) => Promise<object>;
  }
  export function issue(options: Options): Promise<Record<string, unknown>>;
  export function verifyCredential(options: Options): Promise<{ verified: boolean; error?: unknown }>;
}

declare module '@digitalbazaar/data-integrity' {
  export class DataIntegrityProof {
    constructor(options: { cryptosuite: object; signer?: object; date?: string });
  }
}

declare module '@digitalbazaar/eddsa-rdfc-2022-cryptosuite' {
  export const cryptosuite: object;
}

declare module '@digitalbazaar/ecdsa-rdfc-2019-cryptosuite' {
  export const cryptosuite: object;
}

declare module '@digitalbazaar/ed25519-multikey' {
  export function generate(): Promise<MultikeyPair>;
}

declare module '@digitalbazaar/ecdsa-multikey' {
  export function generate(options: { curve: string }): Promise<MultikeyPair>;
}

interface MultikeyPair {
  id: string;
  controller: string;
  readonly publicKeyMultibase: string;
  signer(): object;
}
