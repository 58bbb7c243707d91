import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { TokenVerifier } from '../../platform/tokens/token-verifier.ts';
import { tracedPort } from './traced-port.ts';

/** The same verifier, whose cache is measured and whose work is traced. */
export function observedVerifier(verifier: TokenVerifier, { metrics, traces }: Telemetry): TokenVerifier {
  const traced = tracedPort(traces, 'tokens', verifier);
  if (!metrics) return traced;
  return {
    known(token) {
      const known = verifier.known(token);
      if (known) metrics.cacheRequests.inc({ cache: 'tokens', result: 'hit' });
      return known;
    },
    verify(token) {
      metrics.cacheRequests.inc({ cache: 'tokens', result: 'miss' });
      return traced.verify(token);
    },
  };
}
