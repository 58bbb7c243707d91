import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

/** The folders (iroh collections) that statements refer to. They follow from statements and blobs. */
export const folderRecords = collection('folders', {
  shape: z.object({
    /** The CID of the collection. */
    id: z.string().min(1),
    /** The raw CID of the blob with its names. */
    metadata: z.string().min(1),
    /** How many files it has; null until all of them are indexed. */
    files: z.int().nullable(),
  }),
  key: 'id',
  indexes: { byMetadata: ['metadata'] },
  isTransient: true,
});

/** The files of folders. The bytes of a file need not be stored. */
export const memberRecords = collection('folder_members', {
  shape: z.object({
    /** The CID of the collection, and the number of the file in it. */
    id: z.string().min(1),
    collection: z.string().min(1),
    number: z.int(),
    /** The raw CID of the file. */
    member: z.string().min(1),
    /** Its path in the folder. */
    path: z.string(),
  }),
  key: 'id',
  indexes: { byMember: ['member'], byCollection: ['collection', 'number'] },
  isTransient: true,
});

export type FolderRecords = RecordsOf<typeof folderRecords>;
export type MemberRecords = RecordsOf<typeof memberRecords>;
export type MemberRecord = z.output<typeof memberRecords.shape>;
