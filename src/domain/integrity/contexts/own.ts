import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { termsIri } from '../kinds/kind.ts';
import { statementKinds } from '../kinds/registry.ts';

/**
 * The service's own context. It gives every statement the id that the public common context gives it,
 * except in two places where that one loses information: the values of an association's `type`, and the
 * `sig` of a DSSE signature, have terms of their own here.
 */
const definitions = {
  '@version': 1.1,
  '@protected': true,
  registeredBy: { '@id': `${termsIri}registeredBy` },
  timestamp: { '@id': `${termsIri}timestamp`, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
  ...Object.fromEntries(Object.values(statementKinds).map(({ name, term }) => [name, term])),
};

/** The document's bytes are its JCS form, so that its name follows from its meaning. */
export const ownContextText = jcs({ '@context': definitions });

/** `urn:cid:` and the CID of the document's bytes: what statements write in their `@context`. */
export const ownContextUrl = cidUrn(cidOf(codecs.raw, ownContextText));
