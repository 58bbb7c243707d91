import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, test } from 'vitest';
import { runTogether } from '../../../src/storage/embedded/writer/transactions.ts';

let database: DatabaseSync;
beforeEach(() => {
  database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE kept (text TEXT UNIQUE)');
});

const kept = () =>
  database
    .prepare('SELECT text FROM kept ORDER BY text')
    .all()
    .map(({ text }) => text);

/** Runs these writes as one group. @returns what each was told. */
function outcomesOf(works: readonly (() => unknown)[]): unknown[] {
  const outcomes: unknown[] = works.map(() => 'untold');
  const waiting = works.map((run, at) => ({
    run,
    done(result: unknown) {
      outcomes[at] = result;
    },
    failed(error: unknown) {
      outcomes[at] = error;
    },
  }));
  for (let first = waiting.shift(); first; first = waiting.shift())
    runTogether(database, first, () => waiting.shift());
  return outcomes;
}

const insert = (text: string) => () => {
  database.prepare('INSERT INTO kept VALUES (?)').run(text);
  return text;
};

describe('writes in one transaction', () => {
  test('a write that throws leaves nothing behind, and the others are kept', () => {
    const refusal = new Error('refused');
    const refused = () => {
      insert('half')();
      throw refusal;
    };
    expect(outcomesOf([insert('a'), refused, insert('b'), refused])).toEqual(['a', refusal, 'b', refusal]);
    expect(kept()).toEqual(['a', 'b']);
  });

  test('all are settled once, before the commit', () => {
    const seen: unknown[] = [];
    const write = { run: insert('a'), done: () => seen.push('done'), failed: () => seen.push('failed') };
    const waiting = [{ ...write, run: insert('b') }];
    runTogether(
      database,
      write,
      () => waiting.shift(),
      () => void seen.push(kept(), database.isTransaction),
    );
    expect(seen).toEqual([['a', 'b'], true, 'done', 'done']);
  });

  test('a failure of the database fails all of them', () => {
    const outcomes = outcomesOf([insert('a'), insert('a')]);
    for (const outcome of outcomes) expect(outcome).toMatchObject({ code: 'ERR_SQLITE_ERROR' });
    expect(kept()).toEqual([]);
  });

  test('all of them are told when no transaction can begin', () => {
    database.exec('BEGIN');
    expect(outcomesOf([insert('a')])).toMatchObject([{ code: 'ERR_SQLITE_ERROR' }]);
  });
});
