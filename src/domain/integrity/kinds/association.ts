import { z } from 'zod';
import { link, literal, oneOrMany, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

const types = ['certifies', 'includes', 'isInstanceOf'];

export const association = kind('AssociationRegistration', {
  label: 'Association',
  meaning: 'Relates a subject to other things, such as a collection to its files.',
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
