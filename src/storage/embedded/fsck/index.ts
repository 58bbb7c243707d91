import type { DatabaseSync } from 'node:sqlite';
import { LRUCache } from 'lru-cache';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { LevelledKeys } from '../index/levels.ts';
import type { Row } from '../statements/statement-rows.ts';
import { fsckLevelSizes, type IndexKey, type LevelledSetFsck, levelledSetFsck } from './levels.ts';
import { type Found, settled } from './repairs.ts';

const columns = 'seq, jcs_digest, rdfc_digest, trusted, kind, refs';
const pageRows = 1_000;
const rowsKept = 10_000;

/** An index that has keys of statements. */
export interface FsckIndex {
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
export function* fsckIndex(
  reader: DatabaseSync,
  writer: DatabaseSync,
  { keys, keysOf, describe }: FsckIndex,
  repair: boolean,
  onRows: (done: number) => void,
): Generator<StoreProblem> {
  const index = levelledSetFsck(reader, writer, keys);
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
    yield* unknownKeys(reader, writer, index, { keysOf, describe }, repair);
  }
  for (const problem of fsckLevelSizes(reader, writer, keys, repair)) if (!isChanged) yield problem;
}

function lack({ jcs_digest }: Row, missing: readonly IndexKey[], index: LevelledSetFsck): Found {
  const id = makeCid(codecs.jcs, jcs_digest as Uint8Array).text;
  const problem = `${missing.length} of its keys are not in the index "${index.name}"`;
  return {
    problem: (isRepaired) => repairable('index', id, problem, isRepaired),
    fix: () => missing.forEach(index.add),
  };
}

/** Keys that no statement has, and those that are there more than once. */
function* unknownKeys(
  reader: DatabaseSync,
  writer: DatabaseSync,
  index: LevelledSetFsck,
  { keysOf, describe }: Pick<FsckIndex, 'keysOf' | 'describe'>,
  repair: boolean,
): Generator<StoreProblem> {
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
      const fix = () => {
        index.remove(key);
        if (isOwn) index.add(key);
      };
      return [{ problem: (isRepaired) => repairable('index', key.name, problem, isRepaired), fix }];
    });
    yield* settled(writer, found, repair);
  }
}
