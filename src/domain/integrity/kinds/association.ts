import { z } from 'zod';
import { link, literal, oneOrMany, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

const types = ['certifies', 'includes', 'isInstanceOf'];

export const association = kind('AssociationRegistration', {
  label: 'Association',
  fields: {
    subject: link(urnOrDid),
    association: link(oneOrMany(urnOrDid)),
    type: literal(z.enum(types).optional(), { '@type': '@vocab' }),
  },
  words: types,
  lineage: between({ name: 'association', meaning: 'is associated with' }, 'subject', 'association'),
});
