// Types for the parts that Cairn uses of libraries without types.

declare module 'rdf-canonize' {
  export interface Term {
    termType: 'NamedNode' | 'BlankNode' | 'Literal' | 'DefaultGraph';
    value: string;
    datatype?: { termType: 'NamedNode'; value: string };
    language?: string;
  }
  export interface Quad {
    subject: Term;
    predicate: Term;
    object: Term;
    graph: Term;
  }
  export interface CanonizeOptions {
    algorithm: 'RDFC-1.0';
    messageDigestAlgorithm?: string;
    createMessageDigest?: () => { update(part: string): void; digest(): string };
    canonicalIdMap?: Map<string, string>;
    maxWorkFactor?: number;
    /** What the library reads of an AbortSignal. */
    signal?: Pick<AbortSignal, 'aborted' | 'reason'>;
  }
  const canonize: {
    canonize(dataset: readonly Quad[], options: CanonizeOptions): Promise<string>;
    NQuads: {
      parse(nquads: string): Quad[];
      serialize(dataset: readonly Quad[]): string;
      serializeQuadComponents(subject: Term, predicate: Term, object: Term, graph: Term): string;
    };
  };
  export default canonize;
}

declare module 'rdf-canonize/lib/MessageDigest.js' {
  export default class MessageDigest {
    constructor(algorithm: string);
    update(part: string): void;
    digest(): string;
  }
}

declare module 'jsonld/lib/ContextResolver.js' {
  export interface ResolveRequest {
    /** The value of an `@context`, or an object that has one. */
    readonly context: unknown;
    readonly documentLoader: (url: string) => Promise<{ readonly document: unknown }>;
  }
  /** Resolves context URLs once per operation. Documents that the loader tags `static` are kept in `sharedCache`. */
  export default class ContextResolver {
    constructor(options: {
      sharedCache: { get(key: string): unknown; set(key: string, value: object): unknown };
    });
    resolve(request: ResolveRequest): Promise<unknown[]>;
  }
}

declare module 'jsonld/lib/context.js' {
  import type ContextResolver from 'jsonld/lib/ContextResolver.js';
  export interface ProcessingOptions {
    readonly base: string;
    readonly keepFreeFloatingNodes: boolean;
    readonly documentLoader: (url: string) => Promise<{ readonly document: unknown }>;
    readonly contextResolver: ContextResolver;
    readonly eventHandler: readonly ((occurred: {
      readonly event: { readonly code: string };
      /** Calls the next handler. */
      readonly next: () => void;
    }) => void)[];
  }
  const contexts: { getInitialContext(options: ProcessingOptions): object };
  export default contexts;
}

declare module 'jsonld/lib/expand.js' {
  import type { ProcessingOptions } from 'jsonld/lib/context.js';

  const expansion: {
    /** @returns null if nothing is left. */
    expand(given: {
      readonly activeCtx: object;
      readonly element: object;
      readonly options: ProcessingOptions;
    }): Promise<Readonly<Record<string, unknown>> | readonly unknown[] | null>;
  };
  export default expansion;
}

declare module 'jsonld/lib/toRdf.js' {
  import type { ProcessingOptions } from 'jsonld/lib/context.js';
  import type { Quad } from 'rdf-canonize';

  const deserialization: {
    /** @param expanded an expanded document. An item that is dropped from a list leaves a quad whose object is null. */
    toRDF(
      expanded: readonly unknown[],
      options: ProcessingOptions,
    ): (Quad | (Omit<Quad, 'object'> & { object: null }))[];
  };
  export default deserialization;
}

declare module 'jsonld/lib/util.js' {
  const util: { clone<Value extends object>(value: Value): Value };
  export default util;
}

declare module 'jsonld/lib/url.js' {
  const url: {
    /** RFC 3986 5.2: the absolute form of a relative reference. */
    prependBase(base: string, iri: string): string;
  };
  export default url;
}

declare module '*-context' {
  export const contexts: ReadonlyMap<string, unknown>;
  const module: { contexts: ReadonlyMap<string, unknown> };
  export default module;
}
