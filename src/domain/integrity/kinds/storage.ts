import { cid, did, link, literalLink } from './fields.ts';
import { between, kind } from './kind.ts';

export const storage = kind('StorageRegistration', {
  label: 'Storage',
  fields: {
    data: link(cid),
    storedOn: link(cid, { document: 'Store' }),
    operatedBy: literalLink(did.optional(), { word: 'operated' }),
  },
  lineage: between({ name: 'storage', meaning: 'is stored on' }, 'data', 'storedOn'),
});
