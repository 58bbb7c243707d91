import type { RecordStore } from '../../collections/collection.ts';
import type { GraphImports } from '../manifest/ports.ts';
import type { BlobStore, StatementStore } from '../ports.ts';
import type { StatementRowsOfStore } from '../statements/rows.ts';
import { type NameIndex, nameIndex } from './name-index.ts';
import { nameRecords } from './name-records.ts';
import { type DocumentReader, documentsOf, withNaming } from './naming.ts';

interface StoreToName extends RecordStore {
  readonly rows: StatementRowsOfStore;
  readonly statements: StatementStore;
  readonly graphImports: GraphImports;
  readonly blobs: BlobStore;
}

/** Adds the index of names to a store, and keeps it with every write. */
export function withNames<Of extends StoreToName>(
  store: Of,
  documents: DocumentReader = documentsOf(store.blobs),
): Of & { readonly names: NameIndex } {
  const ports = { names: store.of(nameRecords), rows: store.rows, documents };
  return { ...store, ...withNaming(store, ports), names: nameIndex(ports) };
}
