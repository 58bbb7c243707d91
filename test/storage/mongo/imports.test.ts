import { afterAll, beforeAll, expect, test } from 'vitest';
import type { GraphImports } from '../../../src/domain/integrity/manifest/ports.ts';
import type { StatementRow } from '../../../src/domain/integrity/ports.ts';
import type { Database } from '../../../src/storage/mongo/database.ts';
import { attachmentIndexes } from '../../../src/storage/mongo/graphs/graph-attachments.ts';
import { graphIndexes, importCollection } from '../../../src/storage/mongo/graphs/graph-documents.ts';
import { mongoGraphImports, sweepImports } from '../../../src/storage/mongo/graphs/graph-imports.ts';
import { RegisteredGraphs } from '../../../src/storage/mongo/graphs/registered-graphs.ts';
import { Intents } from '../../../src/storage/mongo/log/intents.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import {
  countBoth,
  statementCollections,
  statementIndexes,
} from '../../../src/storage/mongo/statements/statement-documents.ts';
import { mongoStatementRows } from '../../../src/storage/mongo/statements/statement-rows.ts';
import { row } from '../../builders/rows.ts';
import { describeMongo, newDatabase } from './database.ts';

const hourMs = 3_600_000;
const nothing = { contexts: [], anchors: [] };

describeMongo('imports on MongoDB', () => {
  let database: Database;
  let imports: GraphImports;

  beforeAll(async () => {
    const indexes = [graphIndexes, attachmentIndexes, ...statementIndexes];
    database = await openDatabase(newDatabase(), indexes, { waitMs: 0, waiting: () => {} });
    imports = mongoGraphImports(database, new Intents(database));
  });
  afterAll(async () => {
    await database.db.dropDatabase();
    await database[Symbol.asyncDispose]();
  });

  const inHours = (hours: number) => new Date(database.now().getTime() + hours * hourMs);
  const unverifiedCount = (...rows: StatementRow[]) =>
    statementCollections(database).unverified.countDocuments({
      _id: { $in: rows.map(({ jcsCid }) => jcsCid.digest) },
    });
  const graph = (graphId: string) => ({ graphId, name: graphId, parentId: null, projectId: graphId });

  test('are removed when they did not change for a day, and not before', async () => {
    const coming = await imports.begin('left');
    const forged = row('left, forged', { isTrusted: false });
    await coming.put([row('left'), forged]);
    await sweepImports(database, inHours(23));
    expect(await unverifiedCount(forged)).toBe(1);
    await sweepImports(database, inHours(25));
    expect(await unverifiedCount(forged)).toBe(0);
    expect(await importCollection(database).countDocuments({ importing: { $exists: true } })).toBe(0);
    await expect(coming.put([row('more')])).rejects.toMatchObject({ code: 'conflict' });
    await expect(coming.publish(graph('left'), nothing)).rejects.toMatchObject({ code: 'conflict' });
  });

  test('stay once they are published, however old they are', async () => {
    const coming = await imports.begin('kept');
    const rows = [row('kept'), row('kept, forged', { isTrusted: false })];
    await coming.put(rows);
    await coming.publish(graph('kept'), { contexts: [], anchors: ['anchor'] });
    await sweepImports(database, inHours(1_000));
    const registered = new RegisteredGraphs(database);
    const key = (await registered.find('kept'))?._id ?? expect.fail();
    expect(await countBoth(database, (each) => each.countDocuments({ graphs: key }))).toBe(2);
    expect(await registered.attachments(['kept'])).toEqual({ contexts: [], anchors: ['anchor'] });
  });

  test('keep the order of attachments that exceed one document', async () => {
    const coming = await imports.begin('large');
    const contexts = Array.from({ length: 40 }, (_, at) => ({
      url: `urn:x:${String(at).padStart(3, '0')}:${'x'.repeat(600_000)}`,
      cid: `cid ${at}`,
    }));
    const anchors = Array.from({ length: 50_000 }, (_, at) => `anchor ${50_000 - at} ${'x'.repeat(50)}`);
    await coming.publish(graph('large'), { contexts: contexts.toReversed(), anchors });
    const read = await new RegisteredGraphs(database).attachments(['large']);
    expect(read.contexts.map(({ cid }) => cid)).toEqual(contexts.map(({ cid }) => cid));
    expect(read.anchors).toEqual(anchors);
  });

  test('create one graph when two with one id are published at once', async () => {
    const all = await Promise.all(Array.from({ length: 5 }, () => imports.begin('same')));
    const outcomes = await Promise.all(all.map((coming) => coming.publish(graph('same'), nothing)));
    expect(outcomes.toSorted()).toEqual(['added', ...Array(4).fill('exists')]);
    for (const coming of all) await coming.abandon();
    expect(await importCollection(database).countDocuments({ importing: { $exists: true } })).toBe(0);
  });

  test('leave nothing of shared rows when all are abandoned at once', async () => {
    for (let round = 0; round < 10; round += 1) {
      const forged = Array.from({ length: 5 }, (_, at) => row(`shared ${round} ${at}`, { isTrusted: false }));
      const all = await Promise.all(Array.from({ length: 3 }, () => imports.begin('shared')));
      for (const coming of all) await coming.put(forged);
      await Promise.all(all.map((coming) => coming.abandon()));
      expect(await unverifiedCount(...forged)).toBe(0);
    }
  });

  test('leave no form both verified and unverified under concurrent writes', async () => {
    for (let round = 0; round < 10; round += 1) {
      const honest = Array.from({ length: 20 }, (_, at) => row(`both ${round} ${at}`));
      const forged = honest.map((each) => ({ ...each, isTrusted: false }));
      const comings = await Promise.all(Array.from({ length: 3 }, () => imports.begin('both')));
      const graphs = comings.map((_, at) => graph(`both ${round} ${at}`));
      await Promise.all(comings.map((coming, at) => coming.put(at === 1 ? honest : forged)));
      await Promise.all(comings.map((coming, at) => coming.publish(graphs[at] ?? expect.fail(), nothing)));
      expect(await unverifiedCount(...forged)).toBe(0);
      const verified = mongoStatementRows(database, new RegisteredGraphs(database)).verified;
      for (const found of await verified.whole(honest.map(({ jcsCid }) => jcsCid)))
        expect(found?.memberships.map(({ graphId }) => graphId).toSorted()).toEqual(
          graphs.map(({ graphId }) => graphId),
        );
    }
  });
});
