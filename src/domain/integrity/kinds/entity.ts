import { link, oneOrMany, uuid } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const entity = kind('EntityRegistration', {
  label: 'Entity',
  fields: { entity: link(oneOrMany(uuid), { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'entity'),
});
