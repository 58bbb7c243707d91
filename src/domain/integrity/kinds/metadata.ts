import { cid, link, urnOrDid } from './fields.ts';
import { between, kind } from './kind.ts';

export const metadata = kind('MetadataRegistration', {
  label: 'Metadata',
  meaning: 'Describes a subject with a document. Cairn shows the subject by the name in it.',
  reads: '{registeredBy} described {subject}',
  called: 'the metadata of {subject}',
  says: 'Describes {subject}',
  fields: {
    subject: link(urnOrDid, 'what is described'),
    metadata: link(cid, 'a JSON document, for example with a name', { document: 'Metadata' }),
  },
  lineage: between({ name: 'metadata', meaning: 'is described by' }, 'subject', 'metadata'),
});
