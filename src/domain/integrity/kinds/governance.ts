import { cid, link, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

export const governance = kind('GovernanceRegistration', {
  label: 'Governance',
  meaning: 'Puts a subject under a document, such as a policy, a declaration or an approval.',
  says: 'Registers a governance document about {subject}',
  fields: {
    subject: link(urnOrDid, 'what is governed'),
    document: link(cid, 'the policy, declaration or approval', {
      word: 'governed by',
      document: 'Governance',
    }),
  },
  lineage: between({ name: 'governance', meaning: 'is governed by' }, 'subject', 'document'),
});
