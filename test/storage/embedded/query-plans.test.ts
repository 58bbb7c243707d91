import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { collections } from '../../../src/domain/collections/all.ts';
import { defineTerms } from '../../../src/storage/embedded/collections/record-terms.ts';
import { recordReads } from '../../../src/storage/embedded/collections/records.ts';
import { embeddedExchangeSeries } from '../../../src/storage/embedded/exchanges/exchange-series.ts';
import { statementRewriting } from '../../../src/storage/embedded/fsck/statements.ts';
import { graphReads, statementCounter } from '../../../src/storage/embedded/graphs/graphs.ts';
import { sortWrites } from '../../../src/storage/embedded/statements/row-writes.ts';
import { embeddedRows } from '../../../src/storage/embedded/statements/rows.ts';
import { openEmbedded } from '../../../src/storage/open.ts';
import { row } from '../../builders/rows.ts';
import { temporaryFolder } from '../temporary-folder.ts';

/** A database that takes note of what it is asked. */
class NotingDatabase extends DatabaseSync {
  readonly asked: string[] = [];

  override prepare(sql: string) {
    this.asked.push(sql);
    return super.prepare(sql);
  }
}

test('every query follows the order of an index, in all levels', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using reader = new NotingDatabase(join(folder, 'cairn.db'));
  embeddedRows(reader, 'verified');
  graphReads(reader);
  statementCounter(reader);
  sortWrites(reader);
  const page = { after: null, limit: 1 };
  for (const declared of collections) {
    const records = recordReads(reader, declared);
    await records.get('id');
    for (const [index, members] of Object.entries(declared.indexes))
      for (const at of index in declared.unique ? [] : members.keys())
        await records.page(index as never, members.slice(at), page);
  }
  expect(reader.asked.some((sql) => sql.includes('FROM verified_entries'))).toBe(true);
  expect(slowPlans(reader)).toEqual([]);
  expect(reader.asked.filter(isPreparedAgain)).toEqual([]);
});

test('records are looked for by each of several values, not the values by each record', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using reader = new NotingDatabase(join(folder, 'cairn.db'));
  defineTerms(reader);
  for (const declared of collections) {
    // An empty table is not asked.
    reader.exec(`INSERT INTO "${declared.name}" (record) VALUES ('{}')`);
    const records = recordReads(reader, declared);
    for (const [index, [, ...others]] of Object.entries(declared.indexes))
      await records.among(index as never, ['one', 'other'], 1, others);
  }
  const plans = reader.asked
    .filter((sql) => sql.includes('wanted'))
    .map((sql) =>
      reader
        .prepare(`EXPLAIN QUERY PLAN ${sql}`)
        .all()
        .map(({ detail }) => String(detail)),
    );
  expect(plans.length).toBeGreaterThan(collections.length);
  expect(reader.asked.filter(isPreparedAgain)).toEqual([]);
  for (const [first, second] of plans) {
    expect(first).toMatch(/^SCAN wanted/);
    expect(second).toMatch(/^SEARCH \w+ USING INDEX/);
  }
});

test('a time series reads its index and no records', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using reader = new NotingDatabase(join(folder, 'cairn.db'));
  const scope = { projectUrn: 'urn:uuid:none', agentId: 'none' };
  await embeddedExchangeSeries(reader).series(scope, { from: 0, until: 1, interval: 'day' });
  const plans = reader.asked.flatMap((sql) => reader.prepare(`EXPLAIN QUERY PLAN ${sql}`).all());
  expect(plans.length).toBe(2);
  for (const { detail } of plans) expect(detail).toMatch(/USING COVERING INDEX audit_exchanges_series/);
});

test('a repair finds its row through an index', async () => {
  const folder = await temporaryFolder();
  await (await openEmbedded(folder))[Symbol.asyncDispose]();
  using writer = new NotingDatabase(join(folder, 'cairn.db'));
  await statementRewriting(writer)(row('none'));
  expect(writer.asked.some((sql) => sql.startsWith('UPDATE'))).toBe(true);
  const slow = slowPlans(writer).filter(({ sql }) => sql.includes('_entries'));
  expect(slow).toEqual([]);
});

function slowPlans(database: NotingDatabase): { sql: string; slow: string[] }[] {
  const plans = [...new Set(database.asked)].map((sql) => {
    const steps = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all();
    return { sql, slow: steps.map(({ detail }) => String(detail)).filter(isSlow) };
  });
  return plans.filter(({ slow }) => slow.length > 0);
}

/** Whether a step reads more than it answers, or sorts it first. Recent keys are few, as are the graphs of a row. */
function isSlow(step: string): boolean {
  return /^(SCAN (?!\w+_new|\w+_recent|wanted|\(subquery)|USE TEMP B-TREE|CO-ROUTINE (?!\(subquery)|MATERIALIZE)/.test(
    step,
  );
}

/** Whether SQLite prepares a query again whenever values are bound, because the limit alone is bound. */
function isPreparedAgain(sql: string): boolean {
  return /LIMIT \?\d*(?! \+)(?!\d)/.test(sql);
}
