import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoreFault } from '../../../domain/maintenance/fsck/ports.ts';
import { mendable } from '../../../domain/maintenance/fsck/problems.ts';
import type { LevelledKeys } from '../index/levels.ts';
import type { Row } from '../statements/statement-rows.ts';
import { auditLevelSizes, type IndexKey, type LevelledSetAudit, levelledSetAudit } from './levels.ts';
import { type Found, settled } from './repairs.ts';

const columns = 'seq, jcs_digest, rdfc_digest, trusted, kind, refs';
const pageRows = 1_000;
const rowsKept = 10_000;

/** An index that has keys of statements. */
export interface AuditedIndex {
  readonly keys: LevelledKeys;
  /** The keys that a statement should have, each once. */
  keysOf(statement: Row): IndexKey[];
  /** What a key is for, in words. */
  describe(key: IndexKey): string;
}

/**
 * An index against the statements. When it has all keys of all statements, and no more than those, it has no others:
 * only where their numbers differ are its keys looked at one by one.
 */
export function* auditIndex(
  reader: DatabaseSync,
  writer: DatabaseSync,
  { keys, keysOf, describe }: AuditedIndex,
  repair: boolean,
  onRows: (done: number) => void,
): Generator<StoreFault> {
  const index = levelledSetAudit(reader, writer, keys);
  const page = reader.prepare(
    `SELECT ${columns} FROM statements WHERE seq > ? ORDER BY seq LIMIT ${pageRows}`,
  );
  let present = 0;
  let last = 0;
  let isChanged = false;
  for (let rows = page.all(last); rows.length > 0; rows = page.all(last)) {
    const found: Found[] = [];
    for (const row of rows) {
      const own = keysOf(row);
      const missing = own.filter((key) => !index.has(key));
      present += own.length - (repair ? 0 : missing.length);
      if (missing.length > 0) found.push(lack(row, missing, index));
    }
    isChanged ||= repair && found.length > 0;
    last = Number(rows.at(-1)?.seq);
    yield* settled(writer, found, repair);
    onRows(last);
  }
  if (index.count() !== present) {
    isChanged = repair;
    yield* strangers(reader, writer, index, { keysOf, describe }, repair);
  }
  for (const fault of auditLevelSizes(reader, writer, keys, repair)) if (!isChanged) yield fault;
}

function lack({ jcs_digest }: Row, missing: readonly IndexKey[], index: LevelledSetAudit): Found {
  const id = makeCid(codecs.jcs, jcs_digest as Uint8Array).text;
  const problem = `${missing.length} of its keys are not in the index "${index.name}"`;
  return {
    fault: (isMended) => mendable('index', id, problem, isMended),
    mend: () => missing.forEach(index.add),
  };
}

/** Keys that no statement has, and those that are there more than once. */
function* strangers(
  reader: DatabaseSync,
  writer: DatabaseSync,
  index: LevelledSetAudit,
  { keysOf, describe }: Pick<AuditedIndex, 'keysOf' | 'describe'>,
  repair: boolean,
): Generator<StoreFault> {
  const bySeq = reader.prepare(`SELECT ${columns} FROM statements WHERE seq = ?`);
  const known = new LRUCache<number, ReadonlySet<string>>({
    max: rowsKept,
    memoMethod: (seq) => {
      const row = bySeq.get(seq);
      return new Set(row ? keysOf(row).map(({ name }) => name) : []);
    },
  });
  for (const page of index.pages()) {
    const found = page.flatMap(({ key, times }): Found[] => {
      const isOwn = known.memo(key.seq).has(key.name);
      if (isOwn && times === 1) return [];
      const problem = isOwn
        ? `Statement number ${key.seq} is ${times} times in the index "${index.name}" ${describe(key)}`
        : `Statement number ${key.seq} is in the index "${index.name}" ${describe(key)}, and should not be`;
      const mend = () => {
        index.remove(key);
        if (isOwn) index.add(key);
      };
      return [{ fault: (isMended) => mendable('index', key.name, problem, isMended), mend }];
    });
    yield* settled(writer, found, repair);
  }
}
