import { cid, link, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

export const metadata = kind('MetadataRegistration', {
  label: 'Metadata',
  fields: { subject: link(urnOrDid), metadata: link(cid, { document: 'Metadata' }) },
  lineage: between({ name: 'metadata', meaning: 'is described by' }, 'subject', 'metadata'),
});
