import type { ObjectId } from 'mongodb';
import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { LoggedRow, LoggedRows, UnloggedGroup, UnloggedStatements } from '../../../domain/log/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { graphCollection, isRegistered } from '../graphs/graph-documents.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { firstPosition, microsecondsOf, positionIn } from '../positions.ts';
import { type StatementDocument, statementCollections } from '../statements/statement-documents.ts';
import {
  digestsIn,
  type GraphIntent,
  graphIntents,
  type IntentDocument,
  intentCollection,
  type RowsIntent,
} from './intents.ts';

/**
 * How long rows may come after their intent. Their writer writes another one if it takes longer than a minute, so what is
 * missing then was never acknowledged.
 */
const lateMs = 600_000;
const graphsNotedAtOnce = 1_000;

type FoundRow = Pick<StatementDocument, '_id' | 'rdfc' | 'position' | 'graphs'>;
const projection = { rdfc: 1, position: 1, graphs: 1 } as const;

export function mongoUnlogged(database: Database, registered: RegisteredGraphs): UnloggedStatements {
  const intents = intentCollection(database);
  const { verified, unverified } = statementCollections(database);

  async function groupsOf(intent: IntentDocument, limit: number): Promise<UnloggedGroup[]> {
    return 'groups' in intent ? await groupsOfRows(intent) : await groupOfGraph(intent, limit);
  }

  /** Empty while rows are missing. */
  async function groupsOfRows({ _id, groups }: RowsIntent): Promise<UnloggedGroup[]> {
    const wanted = new Map(
      groups.flatMap(({ digests }) => digestsIn(digests)).map((one) => [nameOf(one), one]),
    );
    const rows = await rowsOf([...wanted.values()]);
    const names = await registered.byKey(groups.flatMap(({ graph }) => graph ?? []));
    const isLate = database.now().getTime() - microsecondsOf(_id) / 1_000 > lateMs;
    const found: UnloggedGroup[] = [];
    for (const { graph, digests } of groups) {
      const of = digestsIn(digests);
      const there = of.flatMap((digest) => {
        const row = rows.get(nameOf(digest));
        return row && isIn(row.document, graph) ? row : [];
      });
      const graphId = graph && names.get(graph.toHexString())?.graphId;
      if (!isLate && (there.length < of.length || graphId === undefined)) return [];
      if (graphId === undefined) continue;
      found.push({ graphId, rows: there.map(loggedRow), isOlder: false, token: _id.toHexString() });
    }
    return found.length > 0 ? found : [{ graphId: null, rows: [], isOlder: false, token: _id.toHexString() }];
  }

  async function rowsOf(digests: readonly Uint8Array[]) {
    const rows = new Map<string, { readonly document: FoundRow; readonly isTrusted: boolean }>();
    const read = async (isTrusted: boolean, wanted: readonly Uint8Array[]) => {
      if (wanted.length === 0) return;
      const options = { projection, batchSize: wanted.length + 1 };
      const found = (isTrusted ? verified : unverified).find<FoundRow>(
        { _id: { $in: [...wanted] } },
        options,
      );
      for (const document of await found.toArray()) rows.set(nameOf(document._id), { document, isTrusted });
    };
    await read(true, digests);
    await read(
      false,
      digests.filter((digest) => !rows.has(nameOf(digest))),
    );
    return rows;
  }

  /** Empty while the graph is being imported. */
  async function groupOfGraph(intent: GraphIntent, limit: number): Promise<UnloggedGroup[]> {
    const { _id, graph, partition, after, isOlder } = intent;
    const graphId = graph && (await registered.byKey([graph])).get(graph.toHexString())?.graphId;
    const token = (last: ObjectId | null) => [_id.toHexString(), last?.toHexString() ?? ''].join('.');
    if (graphId === undefined) {
      const isComing = (await graphCollection(database).countDocuments({ _id: graph as ObjectId })) > 0;
      return isComing ? [] : [{ graphId: null, rows: [], isOlder, token: token(null) }];
    }
    const filter = { graphs: graph ?? [], ...(after && { position: { $gt: after } }) };
    const found = await statementCollections(database)
      [partition].find<FoundRow>(filter as never, { projection, sort: { position: 1 }, limit, hint: 'graph' })
      .toArray();
    const last = found.length < limit ? null : (found.at(-1)?.position ?? null);
    const rows = found.map((document) => loggedRow({ document, isTrusted: partition === 'verified' }));
    return [{ graphId, rows, isOlder, token: token(last) }];
  }

  return {
    next: (limit) =>
      translated(async () => {
        const groups: UnloggedGroup[] = [];
        let left = limit;
        for await (const intent of intents.find({}, { sort: { _id: 1 }, batchSize: 100 })) {
          const found = await groupsOf(intent, left);
          groups.push(...found);
          for (const { rows } of found) left -= rows.length + 1;
          if (left <= 0) break;
        }
        return groups;
      }),

    done: (tokens) =>
      translated(async () => {
        const ended: ObjectId[] = [];
        for (const token of new Set(tokens)) {
          const [id = '', last = ''] = token.split('.');
          const [_id, after] = [positionIn(id), positionIn(last)];
          if (_id && after) await intents.updateOne({ _id }, { $set: { after } });
          else if (_id) ended.push(_id);
        }
        if (ended.length > 0) await intents.deleteMany({ _id: { $in: ended } });
      }),

    noteAll: () =>
      translated(async () => {
        await intents.insertMany(graphIntents(database, null, true));
        let noted: GraphIntent[] = [];
        const graphs = graphCollection(database).find(isRegistered, {
          projection: { _id: 1 },
          sort: { _id: 1 },
        });
        for await (const { _id } of graphs) {
          noted.push(...graphIntents(database, _id, true));
          if (noted.length < graphsNotedAtOnce) continue;
          await intents.insertMany(noted);
          noted = [];
        }
        if (noted.length > 0) await intents.insertMany(noted);
      }),
  };
}

function nameOf(digest: Uint8Array): string {
  return digestHex({ digest });
}

function isIn({ graphs }: FoundRow, graph: ObjectId | null): boolean {
  return graph === null || [graphs].flat().some((key) => key.equals(graph));
}

function loggedRow(row: { readonly document: FoundRow; readonly isTrusted: boolean }): LoggedRow {
  const { _id, rdfc, position } = row.document;
  return { position: microsecondsOf(position), rdfcDigest: rdfc, jcsDigest: _id, isTrusted: row.isTrusted };
}

export function mongoLoggedRows(database: Database): LoggedRows {
  const { verified } = statementCollections(database);
  return {
    positionsOf: (digests) =>
      translated(async () => {
        const found = verified.find<FoundRow>({ _id: { $in: [...digests] } }, { projection });
        const positions = new Map<string, number>();
        for await (const { _id, position } of found) positions.set(nameOf(_id), microsecondsOf(position));
        return digests.map((digest) => positions.get(nameOf(digest)));
      }),

    at: (positions) =>
      translated(async () => {
        const ranges = positions.map((micros) => ({
          position: { $gte: firstPosition(micros), $lt: firstPosition(micros + 1) },
        }));
        if (ranges.length === 0) return [];
        const found = verified.find<FoundRow>({ $or: ranges }, { projection });
        return (await found.toArray()).map((document) => loggedRow({ document, isTrusted: true }));
      }),
  };
}
