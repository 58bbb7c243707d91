import { did, literalLink } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const didKind = kind('DidRegistration', {
  label: 'DID',
  fields: { did: literalLink(did, { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'did'),
});
