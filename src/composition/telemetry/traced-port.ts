import type { Staged } from '../../domain/integrity/ports.ts';
import type { Telemetry } from '../../platform/telemetry/telemetry.ts';
import type { Traces } from '../../platform/telemetry/traces.ts';
import type { TokenVerifier } from '../../platform/tokens/token-verifier.ts';

// biome-ignore lint/suspicious/noExplicitAny: a port has methods of any kind
type Method = (...values: any[]) => unknown;

/** The same port, whose calls are spans `name.method` of the trace that they belong to. */
export function tracedPort<Port extends object>(traces: Traces | undefined, name: string, port: Port): Port {
  if (!traces) return port;
  const methods = new Map<string, Method>();
  const traced = (method: string): Method => {
    const span = `${name}.${method}`;
    return (...values) =>
      traces.span(span, () => Reflect.apply(Reflect.get(port, method) as Method, port, values));
  };
  return new Proxy(port, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key);
      if (typeof value !== 'function') return value;
      // A symbol is a way of disposing.
      if (typeof key === 'symbol') return value.bind(target);
      return methods.getOrInsertComputed(key, traced);
    },
  });
}

/** Like `tracedPort`, and the commit of what was staged is a span too. The writes of single chunks are none. */
export function tracedStaging<Name, Port extends { stage(): Promise<Staged<Name>> }>(
  traces: Traces | undefined,
  name: string,
  port: Port,
): Port {
  if (!traces) return port;
  const stage = async (): Promise<Staged<Name>> => {
    const staged = await port.stage();
    return { ...staged, commit: (...as) => traces.span(`${name}.commit`, () => staged.commit(...as)) };
  };
  return tracedPort(traces, name, { ...port, stage });
}

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
