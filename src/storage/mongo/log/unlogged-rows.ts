import type { LoggedRow, UnloggedRows } from '../../../domain/log/ports.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { microsecondsOf } from '../positions.ts';
import { digestsIn, Intents, intentCollection } from './intents.ts';

/** What fsck asks about rows that are in no log. */
export function mongoUnloggedRows(database: Database, registered: RegisteredGraphs): UnloggedRows {
  const intents = new Intents(database);
  const keyOf = async (graphId: string | null) =>
    graphId === null ? null : ((await registered.find(graphId))?._id ?? null);
  const nameOf = (digest: Uint8Array) => Buffer.from(digest).toString('base64');
  return {
    areWaiting: (graphId, rows) =>
      translated(async () => {
        const graph = await keyOf(graphId);
        const isOfGraph = (key: typeof graph) => (graph ? key?.equals(graph) === true : key === null);
        const named = new Set<string>();
        const rests: ((row: LoggedRow) => boolean)[] = [];
        for await (const intent of intentCollection(database).find({
          $or: [{ graph }, { 'groups.graph': graph }],
        })) {
          if ('groups' in intent)
            for (const { digests } of intent.groups.filter((group) => isOfGraph(group.graph)))
              for (const digest of digestsIn(digests)) named.add(nameOf(digest));
          else if (isOfGraph(intent.graph))
            rests.push(
              ({ isTrusted, position }) =>
                isTrusted === (intent.partition === 'verified') &&
                (intent.after === null || position >= microsecondsOf(intent.after)),
            );
        }
        return rows.map((row) => named.has(nameOf(row.jcsDigest)) || rests.some((isIn) => isIn(row)));
      }),
    note: async (graphId, rows) =>
      await translated(async () =>
        intents.note(
          await keyOf(graphId),
          rows.map(({ jcsDigest }) => jcsDigest),
        ),
      ),
  };
}
