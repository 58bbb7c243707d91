import ContextResolver, { type ResolveRequest } from 'jsonld/lib/ContextResolver.js';
import { ServiceError } from '../../errors.ts';
import { isObject } from '../../json/is-object.ts';

/**
 * jsonld's resolver, with `@import` (JSON-LD 1.1 API, 5.1.2, step 5.6) resolved before contexts are cached. jsonld
 * caches an imported document together with the first context that imports it, so the meaning of a context would depend
 * on earlier documents.
 */
export class ImportingContextResolver extends ContextResolver {
  override async resolve(request: ResolveRequest): Promise<unknown[]> {
    const contexts = contextsOf(request.context);
    const context = await Promise.all(contexts.map((one) => this.#imported(one, request)));
    return await super.resolve({ ...request, context });
  }

  async #imported(context: unknown, { documentLoader }: ResolveRequest): Promise<unknown> {
    // Inline contexts are cached by their JSON text. A URL that looks like JSON must not find them.
    if (typeof context === 'string' && context.startsWith('{')) await documentLoader(context);
    if (!isObject(context) || typeof context['@import'] !== 'string') return context;
    const { '@import': url, ...own } = context;
    const { document } = await documentLoader(url);
    const imported = isObject(document) ? (document['@context'] ?? {}) : undefined;
    if (!isObject(imported)) fail(url, 'is not a single context');
    if ('@import' in imported) fail(url, 'imports another context');
    return { ...imported, ...own };
  }
}

/** The contexts of a `@context` value, or of an object that has one. */
function contextsOf(context: unknown): unknown[] {
  return [isObject(context) && context['@context'] ? context['@context'] : context].flat();
}

function fail(url: string, reason: string): never {
  throw new ServiceError('invalid_statement', `The imported context ${url.slice(0, 300)} ${reason}.`);
}
