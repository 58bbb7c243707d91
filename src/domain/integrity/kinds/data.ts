import { cid, link, oneOrMany } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const data = kind('DataRegistration', {
  label: 'Data',
  fields: { data: link(oneOrMany(cid), { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'data'),
});
