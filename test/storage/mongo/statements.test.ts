import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { CommandStartedEvent, Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import type { StatementFilter, StatementRow, StatementScope } from '../../../src/domain/integrity/ports.ts';
import type { Database } from '../../../src/storage/mongo/database.ts';
import { graphIndexes } from '../../../src/storage/mongo/graphs/graph-documents.ts';
import { GraphNumbers } from '../../../src/storage/mongo/graphs/graph-numbers.ts';
import { MongoGraphs } from '../../../src/storage/mongo/graphs/graphs.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import { openMongo } from '../../../src/storage/mongo/open-mongo.ts';
import { statementCollection } from '../../../src/storage/mongo/statements/statement-documents.ts';
import { mongoStatementIndex } from '../../../src/storage/mongo/statements/statement-index.ts';
import { statementIndexes } from '../../../src/storage/mongo/statements/statement-indexes.ts';
import { MongoStatements } from '../../../src/storage/mongo/statements/statements.ts';
import { row } from '../../builders/rows.ts';
import { sharedStoreContract } from '../../contract/shared-store.ts';
import { newFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

const patience = { waitMs: 0, waiting: () => {} };
const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
const all: StatementScope = { graphId: null, visibility: everythingVisible };

describeMongo('statements on MongoDB', () => {
  let database: Database;
  let statements: MongoStatements;
  let index: ReturnType<typeof mongoStatementIndex>;
  const commands: CommandStartedEvent[] = [];

  sharedStoreContract(async () => {
    const [address, folder] = [newDatabase(), await newFolder()];
    const openings = [
      await openMongo(address, folder, patience),
      await openMongo(address, folder, patience),
    ] as const;
    const dispose = async () => {
      for (const store of openings) await store[Symbol.asyncDispose]();
      await dropDatabase(address);
      await rm(folder, { recursive: true });
    };
    return { openings, [Symbol.asyncDispose]: dispose };
  });

  beforeAll(async () => {
    const { url, name } = newDatabase();
    const address = { name, url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true` };
    database = await openDatabase(address, [graphIndexes, statementIndexes], patience);
    database.db.client.on('commandStarted', (event) => commands.push(event));
    const numbers = new GraphNumbers(database);
    statements = new MongoStatements(database, numbers);
    index = mongoStatementIndex(database, numbers);
  });
  afterAll(async () => {
    await database.db.dropDatabase();
    await database[Symbol.asyncDispose]();
  });

  async function newGraph(): Promise<string> {
    const graphId = randomUUID();
    await new MongoGraphs(database).add({ graphId, name: graphId, parentId: null, projectId: graphId });
    return graphId;
  }

  const inGraph = (graphId: string): StatementScope => ({ graphId, visibility: everythingVisible });
  const names = (rows: readonly StatementRow[]) => rows.map(({ jcsCid }) => jcsCid.text);

  /** Statements of a thing, of which one in so many is a milestone. */
  async function hub(count: number, each: number, graphId: string) {
    const thing = `urn:uuid:${randomUUID()}`;
    const references = [{ role: 'subject', identifier: thing }];
    const rows = Array.from({ length: count }, (_, time) => row(`${thing} ${time}`, { references, time }));
    await statements.putMany(rows, graphId);
    const ids = (some: readonly StatementRow[]) => ({
      _id: { $in: some.map(({ jcsCid }) => jcsCid.digest) },
    });
    const collection = statementCollection(database);
    await collection.updateMany(ids(rows), { $unset: { milestone: '' } });
    const marked = rows.filter((_, at) => at % each === each - 1);
    await collection.updateMany(ids(marked), { $set: { milestone: true } });
    return { thing, rows };
  }

  test('are listed whole, whatever lies between milestones', async () => {
    const graphId = await newGraph();
    const { thing, rows } = await hub(500, 45, graphId);
    const expected = names(rows).toReversed();
    for (const limit of [37, 500]) {
      expect(await searched({ subject: thing }, all, limit)).toEqual(expected);
      expect(await searched({}, inGraph(graphId), limit)).toEqual(expected);
      expect(await searched({ kind: 'DataRegistration' }, inGraph(graphId), limit)).toEqual(expected);
      const found: string[] = [];
      for (let after: string | null | undefined = null; after !== undefined; ) {
        const page = await index.references(thing, { after, limit }, all);
        found.push(...names(page.references.map(({ statement }) => statement)));
        after = page.next;
      }
      expect(found).toEqual(expected);
    }
  });

  async function searched(filter: Partial<StatementFilter>, scope: StatementScope, limit: number) {
    const found: string[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page = await index.search({ ...noFilter, ...filter }, { after, limit }, scope);
      expect(page.statements.length).toBeLessThanOrEqual(limit);
      found.push(...names(page.statements));
      after = page.next;
    }
    return found;
  }

  test('are looked through for some stretches at a time where few are wanted among long lists', async () => {
    const [others, mine] = [await newGraph(), await newGraph()];
    const { thing, rows } = await hub(600, 10, others);
    await hub(600, 5, mine);
    const oldest = rows.slice(0, 1);
    await statements.putMany(oldest, mine);
    const scope = { graphId: null, visibility: { projects: new Set([mine]) } };
    const pages: number[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page = await index.references(thing, { after, limit: 10 }, scope);
      pages.push(page.references.length);
      after = page.next;
    }
    expect(pages).toEqual([0, 0, 0, 1]);
    const places = [{ role: 'subject', kind: 'DataRegistration', limit: 10 }];
    const query = { identifiers: [thing], places, beside: null, most: 100 };
    expect(await index.referringTo(query, scope)).toEqual([{ found: [], isCut: true }]);
  });

  test('are found through an index, whatever is asked', async () => {
    const graphId = await newGraph();
    const { thing, rows } = await hub(300, 20, graphId);
    const [{ jcsCid, rdfcCid } = row('none')] = rows;
    const mine = { projects: new Set([graphId]) };
    commands.length = 0;
    await statements.putMany(rows, graphId);
    for (const visibility of [everythingVisible, mine]) {
      await statements.byJcsCid(jcsCid, visibility);
      await statements.byRdfcCid(rdfcCid, visibility);
      const reference = { role: 'subject', identifier: thing };
      await statements.referring({ reference, kind: 'DataRegistration', graphId, limit: 5 }, visibility);
      for (const scope of [
        { graphId: null, visibility },
        { graphId, visibility },
      ]) {
        const page = { after: null, limit: 10 };
        await index.form(jcsCid, scope);
        await index.forms(rdfcCid, page, scope);
        await index.references(thing, page, scope);
        const places = [{ role: 'subject', kind: 'DataRegistration', limit: 10 }];
        const beside = { kinds: ['DataRegistration'], limit: 10 };
        const query = { places, beside, most: 100 };
        await index.referringTo({ ...query, identifiers: [thing] }, scope);
        await index.referringTo({ ...query, identifiers: [thing, 'did:web:nobody'] }, scope);
        const filters = [
          {},
          { kind: 'DataRegistration' },
          { subject: thing },
          { registeredBy: thing },
          { from: 5 },
        ];
        for (const filter of filters) await index.search({ ...noFilter, ...filter }, page, scope);
      }
    }
    const asked = commands.filter(({ command }) => {
      const collection = command.find ?? command.aggregate ?? command.update;
      return collection === 'statements';
    });
    const shapes = new Map(asked.map(({ command }) => [shapeOf(command), command]));
    expect(shapes.size).toBeGreaterThan(20);
    for (const [shape, command] of shapes) {
      const plan = await planOf(command);
      expect(plan, shape).toMatch(/IXSCAN|IDHACK|EXPRESS|Index Scan/);
      expect(plan, shape).not.toMatch(/COLLSCAN|Seq Scan/);
    }
  });

  /** What is asked of which fields, whatever the values. */
  function shapeOf({ find, aggregate, update, filter, pipeline, updates, sort, hint }: Document): string {
    const asked = { find, aggregate, update, filter, pipeline, updates, sort };
    const keys = JSON.stringify(asked).match(/"[^"]*":/g) ?? [];
    return [hint, ...new Set(keys)].join(' ');
  }

  async function planOf(command: Document): Promise<string> {
    const {
      lsid: _,
      txnNumber: __,
      $db: ___,
      $clusterTime: ____,
      $readPreference: _____,
      ...asked
    } = command;
    const { writeConcern: ______, ...explained } = asked;
    return JSON.stringify(await database.db.command({ explain: explained, verbosity: 'queryPlanner' }));
  }

  test('keep fields and kinds with long and odd names, and are found by them', async () => {
    const graphId = await newGraph();
    const identifier = `urn:uuid:${randomUUID()}`;
    const odd = ['x'.repeat(200), 'tab\tin it', '#hash', 'a.b$c', '', 'é'.repeat(121), '\u0000'];
    const rows = odd.flatMap((role) =>
      odd.map((kind) =>
        row(`${identifier} ${JSON.stringify([role, kind])}`, { kind, references: [{ role, identifier }] }),
      ),
    );
    await statements.putMany(rows, graphId);
    for (const { jcsCid, kind, references } of rows) {
      expect(await statements.byJcsCid(jcsCid, everythingVisible)).toMatchObject({ kind, references });
      const [reference] = references;
      const query = { reference: reference ?? expect.fail(), kind, graphId, limit: 9 };
      expect(names(await statements.referring(query, everythingVisible))).toEqual([jcsCid.text]);
    }
    const { references } = await index.references(identifier, { after: null, limit: 100 }, all);
    expect(names(references.map(({ statement }) => statement)).toSorted()).toEqual(names(rows).toSorted());
  });

  test('come in batches larger than a message', async () => {
    const graphId = await newGraph();
    const rows = Array.from({ length: 60 }, (_, at) => row(`${graphId} ${at} `.padEnd(1 << 20, 'x')));
    expect(new Set(await statements.putMany(rows, graphId))).toEqual(new Set(['stored']));
    expect(await statementCollection(database).countDocuments({ projects: graphId })).toBe(60);
  });

  test('are refused, with all that come with them, when one is larger than a document', async () => {
    const graphId = await newGraph();
    const small = row(`${graphId} small`);
    const large = row(`${graphId} large`.padEnd(17 << 20));
    const identifier = 'did:web:example.com';
    const references = Array.from({ length: 150_000 }, (_, at) => ({
      role: `role ${at} `.padEnd(100),
      identifier,
    }));
    for (const each of [large, row(`${graphId} referring`, { references })])
      await expect(statements.putMany([small, each], graphId)).rejects.toMatchObject({ code: 'too_large' });
    expect(await statements.byJcsCid(small.jcsCid, everythingVisible)).toBeUndefined();
  });

  test('of which a repeated write has stored some are stored whole by it', async () => {
    const graphId = await newGraph();
    const rows = Array.from({ length: 500 }, (_, at) => row(`${graphId} ${at}`));
    await statements.putMany(rows, null);
    const cutOff = rows.slice(0, 250).map(({ jcsCid }) => jcsCid.digest);
    await statementCollection(database).deleteMany({ _id: { $in: cutOff } });
    const outcomes = await statements.putMany(rows, graphId);
    expect(outcomes).toEqual([...Array(250).fill('stored'), ...Array(250).fill('joined')]);
    expect(new Set(await statements.putMany(rows, graphId))).toEqual(new Set(['known']));
  });
});
