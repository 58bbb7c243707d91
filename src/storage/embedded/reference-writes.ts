import type { DatabaseSync } from 'node:sqlite';
import { referenceTarget } from './reference-target.ts';
import type { UnpackedRow } from './statement-slices.ts';

export type Said = Pick<UnpackedRow, 'kind' | 'references'>;

export interface Entry {
  /** The beginning of the target, which is enough to sort by. */
  readonly order: number;
  readonly target: Buffer;
  readonly trusted: 0 | 1;
  readonly role: string;
  readonly kind: string;
  readonly seq: number;
}

/**
 * Writes of the reference index. Entries are collected and written in the order of the index: targets are
 * hashes, and thousands of them in no order at all would each look for a page of their own.
 */
export function referenceWrites(database: DatabaseSync) {
  const insert = database.prepare(
    'INSERT OR IGNORE INTO reference_index (target, trusted, role, kind, seq) VALUES (?, ?, ?, ?, ?)',
  );
  const remove = database.prepare(
    'DELETE FROM reference_index WHERE target = ? AND trusted = ? AND role = ? AND kind = ? AND seq = ?',
  );
  let collected: Entry[] = [];

  function flush(): void {
    collected.sort((one, other) => one.order - other.order);
    for (const { target, trusted, role, kind, seq } of collected)
      insert.run(target, trusted, role, kind, seq);
    collected = [];
  }

  return {
    /** Forgets what a write has collected that failed. */
    begin(): void {
      collected = [];
    },

    add(said: Said, trusted: 0 | 1, seq: number): void {
      for (const entry of entriesOf(said, trusted, seq)) collected.push(entry);
    },

    remove(said: Said, trusted: 0 | 1, seq: number): void {
      flush();
      for (const { target, role, kind } of entriesOf(said, trusted, seq))
        remove.run(target, trusted, role, kind, seq);
    },

    flush,
  };
}

export function* entriesOf({ references, kind }: Said, trusted: 0 | 1, seq: number): Generator<Entry> {
  for (const [role, identifier] of JSON.parse(references) as [string, string][]) {
    const target = referenceTarget(identifier);
    yield { order: target.readUIntBE(0, 6), target, trusted, role, kind, seq };
  }
}
