import { link, oneOrMany, uuid } from './fields.ts';
import { between, kind, registration } from './kind.ts';

export const entity = kind('EntityRegistration', {
  label: 'Entity',
  meaning: 'Makes something known that is not data and has a UUID, such as a project.',
  called: '{entity}',
  says: 'Registers {entity}',
  fields: { entity: link(oneOrMany(uuid), 'what is made known', { word: 'registered' }) },
  lineage: between(registration, 'registeredBy', 'entity'),
});
