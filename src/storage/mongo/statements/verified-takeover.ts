import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { repeatingDeadlocks } from '../deadlocks.ts';
import type { StatementCollections, StatementDocument } from './statement-documents.ts';
import { among } from './statement-inserts.ts';

type Leaving = Pick<StatementDocument, '_id' | 'graphs' | 'projects'>;

/**
 * Where a form is among the verified and the unverified statements, the verified one takes over the graphs and the
 * unverified one is removed. Every writer of either does this after its write, so one of them sees both. An
 * unverified statement that joins another graph meanwhile is not removed, but looked at again.
 * @returns the forms that were taken over, by the hexadecimal digits of their keys.
 */
export async function takeOver(
  { verified, unverified }: StatementCollections,
  documents: readonly Pick<StatementDocument, '_id'>[],
): Promise<ReadonlySet<string>> {
  const taken = new Set<string>();
  for (;;) {
    const projection = { graphs: 1, projects: 1 };
    const found = await unverified.find<Leaving>(among(documents), { projection }).toArray();
    if (found.length === 0) return taken;
    const there = await verified.find(among(found), { projection: { _id: 1 } }).toArray();
    const ids = new Set(there.map(({ _id }) => digestHex({ digest: _id })));
    const leaving = found.filter(({ _id }) => ids.has(digestHex({ digest: _id })));
    if (leaving.length === 0) return taken;
    await repeatingDeadlocks(() => verified.bulkWrite(leaving.map(takingOver), { ordered: false }));
    const removals = leaving.map(({ _id, graphs }) => ({ deleteOne: { filter: { _id, graphs } } }));
    await repeatingDeadlocks(() => unverified.bulkWrite(removals, { ordered: false }));
    for (const id of ids) taken.add(id);
  }
}

function takingOver({ _id, graphs, projects }: Leaving) {
  const others = { $filter: { input: '$graphs', cond: { $not: [{ $in: ['$$this', graphs] }] } } };
  const update = {
    graphs: { $concatArrays: [graphs, others] },
    projects: { $setUnion: ['$projects', projects] },
  };
  return { updateOne: { filter: { _id }, update: [{ $set: update }] } };
}
