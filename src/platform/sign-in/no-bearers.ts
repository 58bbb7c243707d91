import { RefusedToken } from '../tokens/refused-token.ts';
import type { TokenVerifier } from '../tokens/token-verifier.ts';

/** Rejects every token, for services that accept no bearer tokens. */
export const noBearers: TokenVerifier = {
  known: () => undefined,
  verify: async () => {
    throw new RefusedToken('rejected');
  },
};
