import { digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import { repeatingDeadlocks } from '../unique-writes.ts';
import { graphsWithout, onlyIn, projectsWith } from './graph-updates.ts';
import type { StatementCollections, StatementDocument } from './statement-documents.ts';
import { among } from './statement-inserts.ts';

type Named = Pick<StatementDocument, '_id'>;
type Leaving = Pick<StatementDocument, '_id' | 'graphs' | 'projects'>;

/**
 * If a form is both verified and unverified, the verified document takes over the graphs and the unverified one is
 * removed. Every writer does this after its write, so one of them sees both documents. An unverified document that joins
 * another graph meanwhile is checked again.
 * @returns the documents whose forms were taken over.
 */
export async function takeOver(
  collections: StatementCollections,
  documents: readonly Named[],
): Promise<readonly Named[]> {
  const { verified, unverified } = collections;
  const taken = new Set<string>();
  for (;;) {
    const leaving = await findLeaving(collections, documents);
    if (leaving.length === 0) break;
    await repeatingDeadlocks(() => verified.bulkWrite(leaving.map(takingOver), { ordered: false }));
    const removals = leaving.map(({ _id, graphs }) => ({
      deleteOne: { filter: { _id, ...onlyIn([graphs].flat()) } },
    }));
    await repeatingDeadlocks(() => unverified.bulkWrite(removals, { ordered: false }));
    for (const document of leaving) taken.add(nameOf(document));
  }
  return taken.size > 0 ? documents.filter((document) => taken.has(nameOf(document))) : [];
}

async function findLeaving(
  { verified, unverified }: StatementCollections,
  documents: readonly Named[],
): Promise<Leaving[]> {
  const projection = { graphs: 1, projects: 1 };
  const found = await unverified.find<Leaving>(among(documents), { projection }).toArray();
  if (found.length === 0) return [];
  const there = await verified.find(among(found), { projection: { _id: 1 } }).toArray();
  const names = new Set(there.map(nameOf));
  return found.filter((document) => names.has(nameOf(document)));
}

function nameOf({ _id }: Named): string {
  return digestHex({ digest: _id });
}

function takingOver({ _id, graphs, projects }: Leaving) {
  const first = [graphs].flat();
  const update = {
    graphs: { $concatArrays: [first, graphsWithout(first)] },
    projects: projectsWith([projects].flat()),
  };
  return { updateOne: { filter: { _id }, update: [{ $set: update }] } };
}
