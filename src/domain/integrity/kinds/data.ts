import { cid, link, oneOrMany } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const data = kind('DataRegistration', {
  label: 'Data',
  meaning: 'Makes data known, such as a dataset or a model.',
  called: '{data}',
  says: 'Registers the data {data}',
  fields: { data: link(oneOrMany(cid), 'what is made known', { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'data'),
});
