import { RefusedToken } from '../refused-token.ts';
import type { TokenVerifier } from '../token-verifier.ts';

/** Where nobody calls by bearer token. */
export const noBearers: TokenVerifier = {
  known: () => undefined,
  verify: async () => {
    throw new RefusedToken('rejected');
  },
};
