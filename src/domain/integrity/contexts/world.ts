import jsonldUrl from 'jsonld/lib/url.js';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';
import { jsonShape } from '../../json/strict-json.ts';
import { jcs } from '../identification/jcs.ts';
import { cidOf, codecs } from '../identifiers/cid.ts';
import { bundledContexts } from './bundled.ts';
import { ImportingContextResolver } from './resolver.ts';

/** A context document: its exact text, and the raw CID of that text. */
export interface ContextDocument {
  readonly url: string;
  readonly text: string;
  readonly cid: string;
}

export interface LoadedContext extends ContextDocument {
  readonly json: unknown;
  /** Every URL that the document mentions in a context of its own. */
  readonly mentions: readonly string[];
  readonly hasSilentTerms: boolean;
  /** Roughly its bytes in memory. */
  readonly weight: number;
}

/** The CID of the document of each context URL of a statement, as JCS. Its own CID is that of the JCS text. */
export interface ContextSet {
  readonly cid: string;
  readonly text: string;
}

/** How much memory the documents of a world may take. */
export const worldLimit = 16 << 20;
/** jsonld takes quadratic time for longer URLs. */
const urlLimit = 2_000;
const contextDepth = 64;
const contextValues = 50_000;
const valueWeight = 64;
/** Limits on the contexts of one statement. JSON-LD copies all terms for each context. */
const documentsLimit = 50;
const weightLimit = 8 << 20;
const entriesLimit = 50;
const entriesInTotal = 1_000;
const resolvedContexts = 100;
const setsKept = 500;

/**
 * A closed world of context documents, without network access. Within it a URL always means the same document. Processed
 * contexts are cached per world (jsonld's own cache is per process), so two worlds in one thread can have different
 * documents for one URL.
 */
export class ContextWorld {
  readonly #documents = new Map<string, LoadedContext>();
  readonly #resolved = new LRUCache<string, object>({ max: resolvedContexts });
  readonly #sets = new LRUCache<string, ContextSet>({ max: setsKept });
  readonly #isLimited: boolean;
  /** The texts of documents that are parsed when they are first asked for. */
  #texts: ReadonlyMap<string, () => string> = new Map();
  #weight = 0;

  /** @param options `isLimited`: whether limits on new statements apply. Default: they do. */
  constructor(documents: Iterable<ContextDocument> = [], { isLimited = true } = {}) {
    this.#isLimited = isLimited;
    for (const document of documents) this.add(document);
  }

  /** A world that starts with the bundled documents. Trusted ones are added when they are found. */
  static bundled(): ContextWorld {
    const world = new ContextWorld();
    world.#texts = bundledContexts;
    return world;
  }

  /**
   * Adds a document, unless its URL already has one.
   * @throws ServiceError `unknown_context` if the text is not a JSON object, or its URL is too long.
   */
  add(document: ContextDocument): void {
    if (this.has(document.url)) return;
    this.#parse(document);
  }

  #parse(document: ContextDocument): void {
    if (document.url.length > urlLimit) throwBadUrl(document.url);
    const { json, values } = parseContext(document, { isLimited: this.#isLimited });
    const urls = this.mentioned(json);
    // Relative to its own URL, and without a base as if another document imported it.
    const absolute = urls.map((url) => jsonldUrl.prependBase(document.url, url));
    const mentions = [...new Set([...urls, ...absolute])];
    const weight = document.text.length + values * valueWeight;
    this.#set({ ...document, json, mentions, hasSilentTerms: namesSilentKeyword(json), weight });
  }

  #set(document: LoadedContext): void {
    this.#documents.set(document.url, document);
    this.#weight += document.weight;
  }

  /** The weight of all documents together. */
  get weight(): number {
    return this.#weight;
  }

  /**
   * This world, if its weight is below the limit. Otherwise a new one with the documents that were used last, up to half
   * the limit. It keeps bundled ones and those that are trusted by name; others can be read again from blobs.
   */
  within(limit: number): ContextWorld {
    if (this.#weight <= limit) return this;
    const kept: LoadedContext[] = [];
    let weight = 0;
    for (const document of [...this.#documents.values()].reverse()) {
      const isFixed = !document.url.startsWith('urn:cid:') || bundledContexts.has(document.url);
      if (!isFixed) weight += document.weight;
      if (isFixed || weight <= limit / 2) kept.push(document);
    }
    const world = new ContextWorld();
    world.#texts = this.#texts;
    for (const document of kept.reverse()) world.#set(document);
    return world;
  }

  has(url: string): boolean {
    return this.#documents.has(url) || this.#texts.has(url);
  }

  document(url: string): ContextDocument | undefined {
    return this.#find(url);
  }

  #find(url: string): LoadedContext | undefined {
    const text = this.#texts.get(url);
    if (text && !this.#documents.has(url)) this.#parse(contextDocument(url, text()));
    return this.#documents.get(url);
  }

  resolver(): ImportingContextResolver {
    return new ImportingContextResolver({ sharedCache: this.#resolved });
  }

  /** A document loader for jsonld. It adds missing URLs to `needs` before it fails. */
  loader(needs: Set<string>) {
    return async (url: string) => {
      const found = this.#find(url);
      if (!found) {
        needs.add(url);
        throw new ServiceError('unknown_context', `The context ${url} is not known.`);
      }
      // jsonld rewrites relative URLs inside the document.
      const document = structuredClone(found.json);
      return { documentUrl: url, contextUrl: undefined, document, tag: 'static' };
    };
  }

  /** The known documents of these URLs, and of all URLs that they mention. */
  reachable(urls: Iterable<string>): Map<string, LoadedContext> {
    const found = new Map<string, LoadedContext>();
    const waiting = [...urls];
    for (let url = waiting.pop(); url !== undefined; url = waiting.pop()) {
      const document = this.#find(url);
      if (!document || found.has(url)) continue;
      found.set(url, document);
      // The order of the documents is that of their last use.
      this.#documents.delete(url);
      this.#documents.set(url, document);
      waiting.push(...document.mentions);
    }
    return found;
  }

  /** As `mentionedContexts` finds them. @throws ServiceError `too_large` if there are too many contexts. */
  mentioned(document: unknown): string[] {
    return mentionedContexts(document, { isLimited: this.#isLimited });
  }

  /** Whether a context of the document defines terms whose content JSON-LD drops silently. */
  hasSilentTerms(document: unknown): boolean {
    const known = this.reachable(this.mentioned(document)).values();
    return namesSilentKeyword(document) || known.some(({ hasSilentTerms }) => hasSilentTerms);
  }

  /** @throws ServiceError `too_large` if there are too many documents, or they are too large. */
  contextSet(urls: readonly string[]): ContextSet {
    const key = JSON.stringify(urls);
    let set = this.#sets.get(key);
    if (!set) {
      const reached = this.reachable(urls);
      const weight = reached.values().reduce((sum, document) => sum + document.weight, 0);
      if (this.#isLimited && reached.size > documentsLimit) throwTooMany(`${documentsLimit} documents`);
      if (this.#isLimited && weight > weightLimit) throwTooMany(`${weightLimit} bytes in memory`);
      const cids = [...reached].map(([url, { cid }]) => [url, cid]);
      const text = jcs(Object.fromEntries(cids));
      set = { cid: cidOf(codecs.jcs, text).text, text };
      // A set with unknown members may gain them when they become known.
      if (urls.every((url) => this.has(url))) this.#sets.set(key, set);
    }
    return set;
  }
}

function throwTooMany(limit: string): never {
  throw new ServiceError('too_large', `The contexts of one statement may have at most ${limit} in total.`);
}

function throwBadUrl(url: string): never {
  const message = `The URL of the context ${url.slice(0, 100)}… has ${url.length} characters. The limit is ${urlLimit}.`;
  throw new ServiceError('unknown_context', message);
}

export function contextDocument(url: string, text: string): ContextDocument {
  return { url, text, cid: cidOf(codecs.raw, text).text };
}

function parseContext({ url, text }: ContextDocument, { isLimited }: { readonly isLimited: boolean }) {
  const { depth, values } = jsonShape(Buffer.from(text));
  const document = `The document of the context ${url}`;
  if (depth > contextDepth) throwBadContext(`${document} is nested too deeply.`);
  if (isLimited && values > contextValues)
    throwBadContext(`${document} has more than ${contextValues} values.`);
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch (cause) {
    throwBadContext(`${document} is not JSON.`, cause);
  }
  if (!isObject(json)) throwBadContext(`${document} is not a JSON object.`);
  if (holdsPrototypeKey(json)) throwBadContext(`The context ${url} has a member named "__proto__".`);
  return { json, values };
}

function throwBadContext(message: string, cause?: unknown): never {
  throw new ServiceError('unknown_context', message, { cause });
}

/** jsonld copies members one by one, so a member of this name would silently become a prototype. */
export function holdsPrototypeKey(value: unknown): boolean {
  if (Array.isArray(value)) return value.some(holdsPrototypeKey);
  if (typeof value !== 'object' || value === null) return false;
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsPrototypeKey);
}

/** Indexes, and included nodes without properties, produce no RDF. Contexts can alias both keywords. */
const silentKeywords = /^@(?:index|included)$/;

function namesSilentKeyword(value: unknown): boolean {
  if (typeof value === 'string') return silentKeywords.test(value);
  if (typeof value !== 'object' || value === null) return false;
  return Object.values(value).some(namesSilentKeyword);
}

/**
 * Every string in an `@context` or `@import` anywhere in a JSON document, as written and as jsonld reads it without a
 * base, where it still resolves dots in the path. Overlong URLs are left out, because no world has them.
 * @throws ServiceError `too_large` if there are too many contexts.
 */
export function mentionedContexts(document: unknown, { isLimited = true } = {}): string[] {
  const urls = new Set<string>();
  let entries = 0;
  for (const context of contextsIn(document)) {
    entries += context.length;
    if (isLimited && (context.length > entriesLimit || entries > entriesInTotal)) throwBadEntries();
    for (const url of context) if (typeof url === 'string' && url.length <= urlLimit) urls.add(url);
  }
  for (const url of [...urls]) urls.add(jsonldUrl.prependBase('', url));
  return [...urls];
}

/** The contexts in each `@context` and `@import` of a JSON document. */
export function* contextsIn(value: unknown): Generator<readonly unknown[], void> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, member] of Object.entries(value)) {
    if (!Array.isArray(value) && (key === '@context' || key === '@import')) yield [member].flat();
    if (typeof member === 'object') yield* contextsIn(member);
  }
}

function throwBadEntries(): never {
  const message = `A document may have at most ${entriesLimit} contexts in one place, and ${entriesInTotal} in total.`;
  throw new ServiceError('too_large', message);
}
