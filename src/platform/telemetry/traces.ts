import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';

const propagator = new W3CTraceContextPropagator();
const getter = {
  get: (headers: Headers, name: string) => headers.get(name) ?? undefined,
  keys: (headers: Headers) => [...headers.keys()],
};
const setter = {
  set: (carrier: Record<string, string>, name: string, value: string) => {
    carrier[name] = value;
  },
};

export interface EndedRequest {
  readonly method: string;
  /** The template of the route. */
  readonly route: string;
  readonly status: number;
}

/** Spans of this process, each below the span that is active when it starts. */
export class Traces {
  readonly #tracer: Tracer;
  readonly #active = new AsyncLocalStorage<Context>();

  constructor(tracer: Tracer) {
    this.#tracer = tracer;
  }

  /** Starts the span of a request. It continues the trace of a valid `traceparent` header. The caller ends it. */
  startRequest(headers: Headers): Span {
    const parent = propagator.extract(ROOT_CONTEXT, headers, getter);
    return this.#tracer.startSpan('request', { kind: SpanKind.SERVER }, parent);
  }

  endRequest(span: Span, { method, route, status }: EndedRequest): void {
    span.updateName(`${method} ${route}`);
    span.setAttributes({
      'http.request.method': method,
      'http.route': route,
      'http.response.status_code': status,
    });
    if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR });
    span.end();
  }

  /** Runs work with an active span. */
  within<Result>(span: Span, work: () => Result): Result {
    return this.#active.run(trace.setSpan(ROOT_CONTEXT, span), work);
  }

  /** Runs work as a span of the active trace. Work outside of any trace gets no span. */
  span<Result>(name: string, work: () => Result, attributes: Attributes = {}): Result {
    const parent = this.#active.getStore();
    if (!parent) return work();
    return this.#run(this.#tracer.startSpan(name, { attributes }, parent), work);
  }

  /** Runs work as a span below one that another process, or an earlier request, named with `traceparent`. */
  continued<Result>(
    name: string,
    traceparent: string | null,
    attributes: Attributes,
    work: () => Result,
  ): Result {
    const headers = new Headers(traceparent === null ? {} : { traceparent });
    const parent = propagator.extract(ROOT_CONTEXT, headers, getter);
    const span = this.#tracer.startSpan(name, { kind: SpanKind.CONSUMER, attributes }, parent);
    return this.#run(span, work);
  }

  /** The active span as the header `traceparent`; null outside of any trace. */
  traceparent(): string | null {
    const carrier: Record<string, string> = {};
    const active = this.#active.getStore();
    if (active) propagator.inject(active, carrier, setter);
    return carrier.traceparent ?? null;
  }

  #run<Result>(span: Span, work: () => Result): Result {
    return this.within(span, () => {
      try {
        const result = work();
        if (!(result instanceof Promise)) {
          span.end();
          return result;
        }
        return result.then(
          (value) => {
            span.end();
            return value;
          },
          (error: unknown) => {
            endFailed(span, error);
            throw error;
          },
        ) as Result;
      } catch (error) {
        endFailed(span, error);
        throw error;
      }
    });
  }
}

/** Names the error without its message, which may contain content or a command of the database. */
function endFailed(span: Span, error: unknown): void {
  const code = (error as { code?: unknown } | null)?.code;
  const name = typeof code === 'string' ? code : error instanceof Error ? error.name : 'unknown';
  span.setAttribute('error.type', name);
  span.setStatus({ code: SpanStatusCode.ERROR });
  span.end();
}
