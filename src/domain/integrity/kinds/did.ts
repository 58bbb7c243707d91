import { did, link } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const didKind = kind('DidRegistration', {
  label: 'DID',
  meaning: 'Makes a person, service or agent known by its DID.',
  called: '{did}',
  says: 'Registers the actor {did}',
  fields: { did: link(did, 'who is made known', { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'did'),
});
