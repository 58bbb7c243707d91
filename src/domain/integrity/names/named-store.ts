import type { RecordStore } from '../../collections/collection.ts';
import type { GraphImports } from '../manifest/ports.ts';
import type { BlobStore, StatementStore } from '../ports.ts';
import type { StatementRowsOfStore } from '../statements/rows.ts';
import { type NameIndex, nameIndex } from './name-index.ts';
import { nameRecords } from './name-records.ts';
import { type DocumentReader, documentsOf, nameNewest, withNaming } from './naming.ts';

interface StoreToName extends RecordStore {
  readonly rows: StatementRowsOfStore;
  readonly statements: StatementStore;
  readonly graphImports: GraphImports;
  readonly blobs: BlobStore;
}

interface NamingOptions {
  readonly documents?: DocumentReader;
  /** Whether a process was killed while it wrote to the store. Then the newest names are completed in the background. */
  readonly wasInterrupted?: boolean;
}

/** Adds the index of names to a store, and keeps it with every write. */
export function withNames<Of extends StoreToName>(
  store: Of,
  { documents = documentsOf(store.blobs), wasInterrupted = false }: NamingOptions = {},
): Of & { readonly names: NameIndex } {
  const ports = { names: store.of(nameRecords), rows: store.rows, documents };
  // If it fails, fsck still tells which names are missing.
  if (wasInterrupted) void nameNewest(ports).catch(() => {});
  return { ...store, ...withNaming(store, ports), names: nameIndex(ports) };
}
