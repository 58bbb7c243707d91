import { failedCheck, type ProofCheck } from './proof.ts';

/** Checks Sigstore bundles against the authorities that the operator trusts. */
export interface SigstoreVerifier {
  /**
   * Never throws for a bad bundle; its check says what is wrong.
   * @param bundle the JSON of the bundle.
   * @param artifact what was signed. A bundle with a DSSE envelope brings it along.
   */
  verify(bundle: Uint8Array, artifact?: Uint8Array): Promise<ProofCheck>;
}

/** Without a trusted root and keys every check is `unknown`. */
export const sigstoreWithoutRoot: SigstoreVerifier = {
  verify: async () => failedCheck({ code: 'no_trusted_root' }, 'unknown'),
};
