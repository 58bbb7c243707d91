import { z } from 'zod';
import { link, literal, statementId } from './fields.ts';
import { between, kind } from './kind.ts';

export const retraction = kind('RetractionRegistration', {
  label: 'Retraction',
  meaning: 'Withdraws a statement, which stays readable. It counts if it is by whoever made the statement.',
  symbol: 'M9 1.5 a7.5 7.5 0 1 1 0 15 a7.5 7.5 0 1 1 0 -15 Z M4 4 l10 10',
  says: 'Withdraws {subject}',
  fields: {
    subject: link(statementId, 'the statement that is withdrawn', { word: 'retracted' }),
    reason: literal(
      z.string().min(1).max(2_000).meta({ form: 'text of at most 2,000 characters' }).optional(),
      'why, for people',
    ),
  },
  lineage: between({ name: 'retraction', meaning: 'retracted' }, 'registeredBy', 'subject'),
});
