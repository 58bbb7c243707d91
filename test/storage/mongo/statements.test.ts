import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { CommandStartedEvent, Document } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { StatementRow, StatementStore } from '../../../src/domain/integrity/ports.ts';
import { otherPlaces } from '../../../src/domain/integrity/statements/places.ts';
import type {
  OrderedRows,
  StatementList,
  StatementRows,
} from '../../../src/domain/integrity/statements/rows.ts';
import type { Database } from '../../../src/storage/mongo/database.ts';
import { graphIndexes } from '../../../src/storage/mongo/graphs/graph-documents.ts';
import { mongoGraphs } from '../../../src/storage/mongo/graphs/graphs.ts';
import { RegisteredGraphs } from '../../../src/storage/mongo/graphs/registered-graphs.ts';
import { Intents } from '../../../src/storage/mongo/log/intents.ts';
import { openDatabase } from '../../../src/storage/mongo/open-database.ts';
import {
  onlyIn,
  statementCollections,
  statementIndexes,
} from '../../../src/storage/mongo/statements/statement-documents.ts';
import { mongoStatementRows } from '../../../src/storage/mongo/statements/statement-rows.ts';
import { mongoStatements } from '../../../src/storage/mongo/statements/statement-writes.ts';
import { openMongo } from '../../../src/storage/open.ts';
import { counted } from '../../builders/put-counts.ts';
import { row } from '../../builders/rows.ts';
import { sharedStoreContract } from '../../contract/shared-store.ts';
import { newFolder } from '../temporary-folder.ts';
import { describeMongo, dropDatabase, newDatabase } from './database.ts';

const patience = { waitMs: 0, waiting: () => {} };

describeMongo('statements on MongoDB', () => {
  let database: Database;
  let statements: Pick<StatementStore, 'putMany'>;
  let rows: StatementRows & OrderedRows;
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

  let graphs: RegisteredGraphs;
  beforeAll(async () => {
    const { url, name } = newDatabase();
    const address = { name, url: `${url}${url.includes('?') ? '&' : '?'}monitorCommands=true` };
    database = await openDatabase(address, [graphIndexes, ...statementIndexes], patience);
    database.db.client.on('commandStarted', (event) => commands.push(event));
    graphs = new RegisteredGraphs(database);
    statements = mongoStatements(database, graphs, new Intents(database));
    rows = mongoStatementRows(database, graphs).verified;
  });
  afterAll(async () => {
    await database.db.dropDatabase();
    await database[Symbol.asyncDispose]();
  });

  async function newGraph(): Promise<string> {
    const graphId = randomUUID();
    await mongoGraphs(database, graphs).add({ graphId, name: graphId, parentId: null, projectId: graphId });
    return graphId;
  }

  const names = (some: readonly (StatementRow | undefined)[]) => some.map((each) => each?.jcsCid.text);
  const countIn = async (graphId: string) => (await rows.contents(graphId, null, 1_000)).length;

  test('are found through an index by every query', async () => {
    const graphId = await newGraph();
    const identifier = `urn:uuid:${randomUUID()}`;
    const given = Array.from({ length: 300 }, (_, time) =>
      row(`${identifier} ${time}`, { references: [{ role: 'subject', identifier }], time }),
    );
    const [{ jcsCid, rdfcCid } = row('none')] = given;
    commands.length = 0;
    for (const isTrusted of [false, true])
      await statements.putMany(
        given.map((each) => ({ ...each, isTrusted })),
        graphId,
      );
    await statements.putMany(given, graphId);
    const lists: StatementList[] = [
      { by: 'storing' },
      { by: 'kind', kind: 'DataRegistration' },
      { by: 'time', from: 5, until: null },
      { by: 'graph', graphId },
      { by: 'projects', projects: [graphId, randomUUID()] },
      { by: 'id', rdfcCid },
      { by: 'reference', identifier, places: [otherPlaces, 1] },
    ];
    for (const list of lists) {
      const { rows: found } = await rows.page(list, null, 2);
      await rows.page(list, found.at(-1)?.mark ?? expect.fail(), 2);
    }
    await rows.referring([identifier, 'did:web:nobody'], null, 64);
    await rows.whole([jcsCid]);
    const marks = await rows.contents(graphId, null, 2);
    await rows.contents(graphId, marks[0] ?? expect.fail(), 2);
    await rows.atMarks(marks);
    const asked = commands.filter(({ command }) => {
      const collection = command.find ?? command.aggregate;
      return collection === 'statements' || collection === 'unverified_statements';
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

  test('are found by fields and kinds with long and odd names', async () => {
    const graphId = await newGraph();
    const identifier = `urn:uuid:${randomUUID()}`;
    const odd = ['x'.repeat(200), 'tab\tin it', '#hash', 'a.b$c', '', 'é'.repeat(121), '\u0000'];
    const given = odd.flatMap((role) =>
      odd.map((kind) =>
        row(`${identifier} ${JSON.stringify([role, kind])}`, {
          kind,
          references: [
            { role, identifier },
            { role: 'data', identifier: 'did:web:other' },
            { role: `${role}2`, identifier },
          ],
        }),
      ),
    );
    await statements.putMany(given, graphId);
    const list = { by: 'reference', identifier, places: [otherPlaces] } as const;
    const { rows: found } = await rows.page(list, null, 100);
    expect(names(found)).toEqual(names(given).toReversed());
    expect(found.map(({ kind, references }) => ({ kind, references }))).toEqual(
      given.map(({ kind, references }) => ({ kind, references })).toReversed(),
    );
    for (const kind of odd) {
      const { rows: ofKind } = await rows.page({ by: 'kind', kind }, null, 100);
      expect(names(ofKind)).toEqual(names(given.filter((each) => each.kind === kind)).toReversed());
    }
  });

  test('can be stored in batches larger than a message', async () => {
    const graphId = await newGraph();
    const given = Array.from({ length: 60 }, (_, at) => row(`${graphId} ${at} `.padEnd(1 << 20, 'x')));
    expect(await statements.putMany(given, graphId)).toEqual(counted({ stored: 60 }));
    expect(await countIn(graphId)).toBe(60);
  });

  test('are all refused when one exceeds a document', async () => {
    const graphId = await newGraph();
    const small = row(`${graphId} small`);
    const large = row(`${graphId} large`.padEnd(17 << 20));
    const references = Array.from({ length: 150_000 }, (_, at) => ({
      role: `role ${at} `.padEnd(100),
      identifier: 'did:web:example.com',
    }));
    for (const each of [large, row(`${graphId} referring`, { references })])
      await expect(statements.putMany([small, each], graphId)).rejects.toMatchObject({ code: 'too_large' });
    expect(await rows.whole([small.jcsCid])).toEqual([undefined]);
  });

  test('are all stored by a repeat of a partial write', async () => {
    const graphId = await newGraph();
    const given = Array.from({ length: 500 }, (_, at) => row(`${graphId} ${at}`));
    await statements.putMany(given, null);
    const cutOff = given.slice(0, 250).map(({ jcsCid }) => jcsCid.digest);
    await statementCollections(database).verified.deleteMany({ _id: { $in: cutOff } });
    expect(await statements.putMany(given, graphId)).toEqual(counted({ stored: 250, joined: 250 }));
    expect(await statements.putMany(given, graphId)).toEqual(counted({ known: 500 }));
  });

  test('hold a graph without an array until they join another', async () => {
    const [first, second, third] = [await newGraph(), await newGraph(), await newGraph()];
    const each = row(`${first} each`);
    const { verified } = statementCollections(database);
    const fields = async () => {
      const { graphs, projects } = (await verified.findOne({ _id: each.jcsCid.digest })) ?? expect.fail();
      return { graphs: [graphs].flat().length, projects, isArray: Array.isArray(graphs) };
    };
    await statements.putMany([each], first);
    expect(await fields()).toEqual({ graphs: 1, projects: first, isArray: false });
    expect(await statements.putMany([each], first)).toEqual(counted({ known: 1 }));
    for (const graphId of [second, third])
      expect(await statements.putMany([each], graphId)).toEqual(counted({ joined: 1 }));
    expect(await statements.putMany([each], second)).toEqual(counted({ known: 1 }));
    const projects = expect.toSatisfy((found) => new Set([first, second, third]).isSubsetOf(new Set(found)));
    expect(await fields()).toEqual({ graphs: 3, projects, isArray: true });
    const [found] = await rows.whole([each.jcsCid]);
    expect(found?.memberships.map(({ graphId }) => graphId)).toEqual([first, second, third]);
    for (const graphId of [first, second, third]) expect(await countIn(graphId)).toBe(1);
  });

  test('stay when they join another graph while a verified form takes over', async () => {
    const [first, second] = [await newGraph(), await newGraph()];
    const forged = row(`${first} forged`, { isTrusted: false });
    await statements.putMany([forged], first);
    const { unverified } = statementCollections(database);
    const { graphs } = (await unverified.findOne({ _id: forged.jcsCid.digest })) ?? expect.fail();
    await statements.putMany([forged], second);
    await unverified.deleteOne({ _id: forged.jcsCid.digest, ...onlyIn([graphs].flat()) });
    expect(await unverified.countDocuments({ _id: forged.jcsCid.digest })).toBe(1);
  });

  test('are taken over by a repeat when a process ended between storing and removing', async () => {
    const [first, second] = [await newGraph(), await newGraph()];
    const honest = row(`${first} claim`);
    await statements.putMany([{ ...honest, isTrusted: false }], first);
    const { verified, unverified } = statementCollections(database);
    const left = (await unverified.findOne({ _id: honest.jcsCid.digest })) ?? expect.fail();
    await statements.putMany([honest], second);
    await unverified.insertOne(left);
    const key = (await graphs.find(second))?._id ?? expect.fail();
    await verified.updateOne({ _id: left._id }, { $set: { graphs: key, projects: second } });
    expect(await statements.putMany([honest], second)).toEqual(counted({ joined: 1 }));
    expect(await unverified.countDocuments({ _id: left._id })).toBe(0);
    const [found] = await rows.whole([honest.jcsCid]);
    expect(found?.memberships.map(({ graphId }) => graphId)).toEqual([first, second]);
    const { rows: ofFirst } = await rows.page({ by: 'projects', projects: [first] }, null, 9);
    expect(names(ofFirst)).toEqual(names([honest]));
  });
});
