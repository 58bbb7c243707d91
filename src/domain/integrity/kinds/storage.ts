import { cid, did, link } from './fields.ts';
import { between, kind } from './kind.ts';

export const storage = kind('StorageRegistration', {
  label: 'Storage',
  meaning: 'Says where data is stored.',
  says: 'Says where {data} is stored',
  fields: {
    data: link(cid, 'what is stored'),
    storedOn: link(cid, 'a document about the place', { document: 'Store' }),
    operatedBy: link(did.optional(), 'who operates the place; without it the registrant', {
      word: 'operated',
    }),
  },
  lineage: between({ name: 'storage', meaning: 'is stored on' }, 'data', 'storedOn'),
});
