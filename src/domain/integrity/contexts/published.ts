import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';

/** The versions of one of the service's own contexts, oldest first. */
export interface PublishedContext {
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
export function publishedContext(...documents: readonly object[]): PublishedContext {
  const versions = new Map(documents.map(jcs).map((text) => [cidUrn(cidOf(codecs.raw, text)), text]));
  return { url: [...versions.keys()].at(-1) ?? '', versions };
}
