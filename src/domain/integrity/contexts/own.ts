import { jcs } from '../identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';

/** What the IRIs of all terms and statement kinds start with (vocabulary, contexts). */
export const termsIri = 'https://eqtylab.io/terms/';

const literal = (term: string) => ({ '@id': termsIri + term });
const iri = (term: string) => ({ '@id': termsIri + term, '@type': '@id' });
const kind = (name: string, terms: Record<string, unknown>) => ({
  '@id': termsIri + name,
  '@context': terms,
});
/** The public context's datatype, spelled as there: an IRI of its own, not a prefixed name. */
const xsdString = (term: string) => ({ '@id': termsIri + term, '@type': 'xsd:string' });

/**
 * The service's own context. It gives every statement the id that the public common context gives it,
 * except in two places where that one loses information: the values of an association's `type`, and the
 * `sig` of a DSSE signature, have terms of their own here.
 */
const definitions = {
  '@version': 1.1,
  '@protected': true,
  registeredBy: literal('registeredBy'),
  timestamp: { '@id': `${termsIri}timestamp`, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
  AssociationRegistration: kind('AssociationRegistration', {
    subject: iri('subject'),
    association: iri('association'),
    type: { '@id': `${termsIri}type`, '@type': '@vocab' },
    certifies: literal('certifies'),
    includes: literal('includes'),
    isInstanceOf: literal('isInstanceOf'),
  }),
  StorageRegistration: kind('StorageRegistration', {
    data: iri('data'),
    storedOn: iri('storedOn'),
    operatedBy: literal('operatedBy'),
  }),
  MetadataRegistration: kind('MetadataRegistration', {
    subject: iri('subject'),
    metadata: iri('metadata'),
  }),
  ComputationRegistration: kind('ComputationRegistration', {
    computation: iri('computation'),
    input: iri('input'),
    output: iri('output'),
    operatedBy: literal('operatedBy'),
    executedOn: literal('executedOn'),
  }),
  CredentialRegistration: kind('CredentialRegistration', {
    credential: literal('credential'),
    credentialDsse: {
      '@id': `${termsIri}credentialDsse`,
      '@context': {
        payloadType: xsdString('payloadType'),
        payload: xsdString('payload'),
        signatures: {
          '@id': `${termsIri}signatures`,
          '@context': { keyid: xsdString('keyid'), sig: xsdString('sig') },
        },
      },
    },
    subject: literal('subject'),
    sigstoreBundle: literal('sigstoreBundle'),
  }),
  DidRegistration: kind('DidRegistration', { did: literal('did') }),
  DataRegistration: kind('DataRegistration', { data: iri('data') }),
  EntityRegistration: kind('EntityRegistration', { entity: iri('entity') }),
  GovernanceRegistration: kind('GovernanceRegistration', {
    subject: iri('subject'),
    document: iri('document'),
  }),
};

/** The document's bytes are its JCS form, so that its name follows from its meaning. */
export const ownContextText = jcs({ '@context': definitions });

/** `urn:cid:` and the CID of the document's bytes: what statements write in their `@context`. */
export const ownContextUrl = cidUrn(cidOf(codecs.raw, ownContextText));
