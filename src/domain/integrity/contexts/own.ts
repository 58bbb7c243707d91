import vocabulary1 from './published/vocabulary-1.json' with { type: 'json' };
import vocabulary2 from './published/vocabulary-2.json' with { type: 'json' };
import { publishedContext } from './published.ts';

/**
 * The service's own context, with the terms of the statement kinds. It gives every statement the id that the public common
 * context gives it, except in two places where that one loses information: the values of an association's `type`, and the
 * `sig` of a DSSE signature, have terms of their own here.
 */
export const ownContext = publishedContext(vocabulary1, vocabulary2);

/** What new statements write in their `@context`. */
export const ownContextUrl = ownContext.url;

/** Whether a URL names a version of the service's own context. */
export function isOwnContext(url: unknown): boolean {
  return typeof url === 'string' && ownContext.versions.has(url);
}
