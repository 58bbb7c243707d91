import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import governance1 from './published/governance-1.json' with { type: 'json' };
import vocabulary1 from './published/vocabulary-1.json' with { type: 'json' };
import vocabulary2 from './published/vocabulary-2.json' with { type: 'json' };

/** The versions of one of the service's own contexts, oldest first. */
interface PublishedContext {
  /** The URL of the newest version. New documents name it in their `@context`. */
  readonly url: string;
  /** The text of each version by its URL. All of them are read for ever. */
  readonly versions: ReadonlyMap<string, string>;
}

/**
 * A published document never changes, because the ids of statements depend on it. Its bytes are its JCS form, and its URL is
 * `urn:cid:` and the CID of these bytes.
 * @param documents the versions, oldest first.
 */
function publishedContext(...documents: readonly object[]): PublishedContext {
  const versions = new Map(documents.map(jcs).map((text) => [cidUrn(cidOf(codecs.raw, text)), text]));
  return { url: [...versions.keys()].at(-1) ?? '', versions };
}

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

/**
 * Whether the own context, written first, gives a statement its meaning: its terms are protected, so no later context gives
 * them another meaning than the id covers.
 */
export function isInOwnContext({ jcs }: { readonly jcs: Uint8Array }): boolean {
  const document = JSON.parse(Buffer.from(jcs.buffer, jcs.byteOffset, jcs.byteLength).toString());
  return isOwnContext([document['@context']].flat()[0]);
}

/** The terms of the credentials that governance issues, beside those of the W3C credentials context. */
export const governanceContext = publishedContext(governance1);

/** What new credentials of governance write in their `@context`. */
export const governanceContextUrl = governanceContext.url;
