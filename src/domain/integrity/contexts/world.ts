import jsonldUrl from 'jsonld/lib/url.js';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { jsonShape } from '../../json/json-shape.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';
import { bundledContexts } from './bundled.ts';
import { ImportingContextResolver } from './resolver.ts';

/** One context document as it is known: exact text, and the raw CID of that text. */
export interface ContextDocument {
  readonly url: string;
  readonly text: string;
  readonly cid: string;
}

/** A document as a world holds it. */
export interface LoadedContext extends ContextDocument {
  readonly json: unknown;
  /** Every URL that the document mentions in a context of its own. */
  readonly mentions: readonly string[];
  readonly hasSilentTerms: boolean;
}

/** Which document stood behind each context URL of a statement, as URL and CID; addressed by its JCS form. */
export interface ContextSet {
  readonly cid: string;
  readonly text: string;
}

const resolvedContexts = 500;
const contextDepth = 64;

/**
 * A closed world of context documents: within it a URL has one meaning, forever. Processed contexts are
 * cached in the world and never outside of it (JSON-LD's own cache is per URL and per process), so that two
 * worlds can give one URL two meanings in one thread. Nothing here touches the network.
 */
export class ContextWorld {
  readonly #documents = new Map<string, LoadedContext>();
  readonly #resolved = new LRUCache<string, object>({ max: resolvedContexts });
  readonly #sets = new LRUCache<string, ContextSet>({ max: resolvedContexts });

  constructor(documents: Iterable<ContextDocument> = []) {
    for (const document of documents) this.add(document);
  }

  /** The world of the bundled documents, to which trusted ones are added as they are found. */
  static bundled(): ContextWorld {
    return new ContextWorld(bundledDocuments());
  }

  /**
   * Adds a document under its URL; a URL that is known keeps its meaning.
   * @throws ServiceError `unknown_context` when the text is no JSON object.
   */
  add(document: ContextDocument): void {
    if (this.#documents.has(document.url)) return;
    const json = parseContext(document);
    const mentions = mentionedBy(document.url, json);
    this.#documents.set(document.url, {
      ...document,
      json,
      mentions,
      hasSilentTerms: namesSilentKeyword(json),
    });
  }

  has(url: string): boolean {
    return this.#documents.has(url);
  }

  document(url: string): ContextDocument | undefined {
    return this.#documents.get(url);
  }

  /** A resolver for one JSON-LD operation. */
  resolver(): ImportingContextResolver {
    return new ImportingContextResolver({ sharedCache: this.#resolved });
  }

  /** JSON-LD's document loader. What this world lacks is added to `needs` before the loader fails. */
  loader(needs: Set<string>) {
    return async (url: string) => {
      const found = this.#documents.get(url);
      if (!found) {
        needs.add(url);
        throw new ServiceError('unknown_context', `The context ${url} is not known.`);
      }
      // JSON-LD rewrites relative URLs inside of what it is handed.
      return {
        documentUrl: url,
        contextUrl: undefined,
        document: structuredClone(found.json),
        tag: 'static',
      };
    };
  }

  /** The documents behind the given URLs and behind all that those mention, as far as they are known. */
  reachable(urls: Iterable<string>): Map<string, LoadedContext> {
    const found = new Map<string, LoadedContext>();
    const waiting = [...urls];
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      const document = this.#documents.get(url);
      if (!document || found.has(url)) continue;
      found.set(url, document);
      waiting.push(...document.mentions);
    }
    return found;
  }

  /** Whether a context of the document defines terms whose content JSON-LD drops without telling. */
  hasSilentTerms(document: unknown): boolean {
    const known = this.reachable(mentionedContexts(document)).values();
    return namesSilentKeyword(document) || known.some(({ hasSilentTerms }) => hasSilentTerms);
  }

  /** The context set of a document that mentions these URLs. */
  contextSet(urls: readonly string[]): ContextSet {
    const key = JSON.stringify(urls);
    let set = this.#sets.get(key);
    if (!set) {
      const cids = [...this.reachable(urls)].map(([url, { cid }]) => [url, cid]);
      const text = jcs(Object.fromEntries(cids));
      set = { cid: cidOf(codecs.jcs, text).text, text };
      // A set with unknown members may gain them when they become known.
      if (urls.every((url) => this.#documents.has(url))) this.#sets.set(key, set);
    }
    return set;
  }
}

let bundled: ContextDocument[] | undefined;

function bundledDocuments(): ContextDocument[] {
  bundled ??= [...bundledContexts].map(([url, text]) => contextDocument(url, text));
  return bundled;
}

export function contextDocument(url: string, text: string): ContextDocument {
  return { url, text, cid: cidOf(codecs.raw, text).text };
}

function parseContext({ url, text }: ContextDocument): object {
  if (jsonShape(Buffer.from(text)).depth > contextDepth) {
    throw new ServiceError('unknown_context', `The document of the context ${url} is nested too deeply.`);
  }
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throw new ServiceError('unknown_context', `The document of the context ${url} is not JSON.`, { cause });
  }
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw new ServiceError('unknown_context', `The document of the context ${url} is not a JSON object.`);
  }
  if (holdsPrototypeKey(json)) {
    throw new ServiceError('unknown_context', `The context ${url} has a member named "__proto__".`);
  }
  return json;
}

/** JSON-LD's library copies members one by one, so that one of this name would become a prototype, unseen. */
export function holdsPrototypeKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsPrototypeKey);
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsPrototypeKey);
}

/** Indexes become no RDF, nor does an included node without properties; contexts give both other names. */
const silentKeywords = /^@(?:index|included)$/;

function namesSilentKeyword(value: unknown): boolean {
  if (typeof value === 'string') return silentKeywords.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(namesSilentKeyword);
}

/** The URLs in a context document: relative to its own, and without a base where another one imports it. */
function mentionedBy(documentUrl: string, json: unknown): string[] {
  const urls = mentionedContexts(json);
  return [...new Set([...urls, ...urls.map((url) => jsonldUrl.prependBase(documentUrl, url))])];
}

/**
 * Every string that stands in an `@context` or `@import` anywhere in a JSON document, as it stands and as JSON-LD
 * reads it without a base: dots in the path of a relative URL are resolved nevertheless.
 */
export function mentionedContexts(document: unknown): string[] {
  const urls = new Set<string>();
  collect(document, urls);
  for (const url of [...urls]) urls.add(jsonldUrl.prependBase('', url));
  return [...urls];
}

function collect(value: unknown, urls: Set<string>): void {
  if (Array.isArray(value)) {
    for (const item of value) collect(item, urls);
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, member] of Object.entries(value)) {
      if (key === '@context' || key === '@import') {
        for (const url of Array.isArray(member) ? member : [member])
          if (typeof url === 'string') urls.add(url);
      }
      if (typeof member === 'object') collect(member, urls);
    }
  }
}
