import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { collections } from '../../../src/domain/collections/all.ts';
import { EmbeddedRecordReads } from '../../../src/storage/embedded/collections/record-reads.ts';
import { statementRewriting } from '../../../src/storage/embedded/fsck/statements.ts';
import { EmbeddedGraphContents } from '../../../src/storage/embedded/graphs/graph-contents.ts';
import { OrderedRows } from '../../../src/storage/embedded/graphs/ordered-rows.ts';
import { openEmbedded } from '../../../src/storage/embedded/open-embedded.ts';
import { embeddedStatementIndex } from '../../../src/storage/embedded/statements/statement-index.ts';
import { EmbeddedStatements } from '../../../src/storage/embedded/statements/statements.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A database that takes note of what it is asked. */
class NotingDatabase extends DatabaseSync {
  readonly asked: string[] = [];

  override prepare(sql: string) {
    this.asked.push(sql);
    return super.prepare(sql);
  }
}

test('every question is answered in the order of an index, through all levels', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using reader = new NotingDatabase(join(folder, 'cairn.db'));
  embeddedStatementIndex({ reader });
  new EmbeddedGraphContents({ reader });
  new OrderedRows(reader);
  new EmbeddedStatements({ reader } as never);
  const page = { after: null, limit: 1 };
  for (const declared of collections) {
    const records = new EmbeddedRecordReads(reader, declared);
    await records.get('id');
    for (const [index, members] of Object.entries(declared.indexes))
      for (const at of index in declared.unique ? [] : members.keys())
        await records.page(index as never, members.slice(at), page);
  }
  expect(reader.asked.some((sql) => sql.includes('FROM entries'))).toBe(true);
  expect(slowPlans(reader)).toEqual([]);
});

test('a repair finds the row that it writes again through an index', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using writer = new NotingDatabase(join(folder, 'cairn.db'));
  statementRewriting(writer);
  expect(writer.asked.some((sql) => sql.startsWith('UPDATE'))).toBe(true);
  expect(slowPlans(writer)).toEqual([]);
});

function slowPlans(database: NotingDatabase): { sql: string; slow: string[] }[] {
  const plans = [...new Set(database.asked)].map((sql) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return { sql, slow: steps.map(({ detail }) => String(detail)).filter(isSlow) };
  });
  return plans.filter(({ slow }) => slow.length > 0);
}

/** What reads more than it answers, or sorts it first. The few graphs of a statement are put in order in JSON. */
function isSlow(step: string): boolean {
  return /^(SCAN|USE TEMP B-TREE FOR (?!json_group_array)|CO-ROUTINE|MATERIALIZE)/.test(step);
}
