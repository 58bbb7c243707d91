import { RefusedToken } from '../tokens/refused-token.ts';
import type { TokenVerifier } from '../tokens/token-verifier.ts';

/** Where nobody calls by bearer token. */
export const noBearers: TokenVerifier = {
  known: () => undefined,
  verify: async () => {
    throw new RefusedToken('rejected');
  },
};
