import { cid, link, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

export const governance = kind('GovernanceRegistration', {
  label: 'Governance',
  fields: { subject: link(urnOrDid), document: link(cid) },
  lineage: between({ name: 'governance', meaning: 'is governed by' }, 'subject', 'document'),
});
