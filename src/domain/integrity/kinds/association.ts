import { z } from 'zod';
import { link, literal, oneOrMany, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

const verbs = { certifies: 'certifies', includes: 'includes', isInstanceOf: 'is an instance of' };
const types = Object.keys(verbs);

export const association = kind('AssociationRegistration', {
  label: 'Association',
  meaning: 'Relates a subject to other things, such as a collection to its files.',
  verbs,
  says: 'Associates {subject} with {association}',
  fields: {
    subject: link(urnOrDid, 'what is related to the others'),
    association: link(oneOrMany(urnOrDid), 'the others'),
    type: literal(
      z
        .enum(types)
        .meta({ form: types.join(', ') })
        .optional(),
      'what the subject does to the others',
    ),
  },
  lineage: between({ name: 'association', meaning: 'is associated with' }, 'subject', 'association'),
});
