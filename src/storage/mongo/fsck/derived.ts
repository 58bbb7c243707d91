import { setTimeout } from 'node:timers/promises';
import type { Collection, ObjectId } from 'mongodb';
import type { CheckedStore, DerivedProblem } from '../../../domain/maintenance/contents.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { importCollection } from '../graphs/graph-documents.ts';
import type { RegisteredGraphs } from '../graphs/registered-graphs.ts';
import { pagesByKey } from '../some-documents.ts';
import {
  graphsWithout,
  projectsWith,
  type StatementDocument,
  statementCollections,
} from '../statements/statement-documents.ts';
import { among, takeOver } from '../statements/statement-inserts.ts';
import { graphKeys, nameOf } from './statements.ts';

type Listed = Pick<StatementDocument, '_id' | 'graphs' | 'projects'>;

const pageDocuments = 2_000;
const removalMs = 1_000;
const projection = { graphs: 1, projects: 1 };

/** What follows from the rows and the graphs: projects of rows, and that each form is verified or not. */
export function derivedData(database: Database, graphs: RegisteredGraphs): CheckedStore['derived'] {
  const { verified, unverified } = statementCollections(database);

  async function* wrongDocuments(statements: Collection<StatementDocument>) {
    const options = { first: Buffer.alloc(0), limit: pageDocuments, projection };
    for await (const page of pagesByKey(statements, options)) {
      const wrong = await wrongAmong(page);
      if (wrong.length === 0) continue;
      // Once more, because another process may have published or removed a graph between the reads.
      const again = await translated(() => statements.find<Listed>(among(wrong), { projection }).toArray());
      yield* await wrongAmong(again);
    }
  }

  async function wrongAmong(documents: readonly Listed[]) {
    const keys = documents.flatMap(graphKeys);
    const registered = await graphs.byKey(keys);
    const importing = await importingAmong(keys.filter((key) => !registered.has(key.toHexString())));
    return documents
      .map((document) => {
        const { _id, projects } = document;
        const own = [document.graphs ?? []].flat();
        const known = graphKeys(document).flatMap((key) => registered.get(key.toHexString()) ?? []);
        const listed = new Set([projects ?? []].flat());
        return {
          _id,
          unknownGraphs: own.filter((key) => !registered.has(String(key)) && !importing.has(String(key))),
          missingProjects: [...new Set(known.map(({ projectId }) => projectId)).difference(listed)],
        };
      })
      .filter(({ unknownGraphs, missingProjects }) => unknownGraphs.length + missingProjects.length > 0);
  }

  async function importingAmong(keys: readonly ObjectId[]): Promise<ReadonlySet<string>> {
    if (keys.length === 0) return new Set();
    const imports = importCollection(database);
    const found = await translated(() => imports.find({ _id: { $in: [...keys] } }).toArray());
    return new Set(found.map(({ _id }) => _id.toHexString()));
  }

  /** Unverified documents whose forms are verified, and stay so. */
  async function* duplicates(): AsyncGenerator<readonly Pick<StatementDocument, '_id'>[]> {
    const ids = { projection: { _id: 1 } };
    const options = { first: Buffer.alloc(0), limit: pageDocuments, ...ids };
    for await (const page of pagesByKey(unverified, options)) {
      const there = await translated(() => verified.find(among(page), ids).toArray());
      if (there.length === 0) continue;
      // Another process may be about to remove them.
      await setTimeout(removalMs);
      yield await translated(() => unverified.find(among(there), ids).toArray());
    }
  }

  async function* check(): AsyncGenerator<DerivedProblem> {
    for await (const some of duplicates())
      for (const { _id } of some)
        yield { kind: 'duplicate', id: nameOf(_id), problem: 'It is verified, and unverified as well' };
    for (const statements of [verified, unverified])
      for await (const { _id, unknownGraphs, missingProjects } of wrongDocuments(statements)) {
        const id = nameOf(_id);
        for (const key of unknownGraphs)
          yield {
            kind: 'membership',
            id,
            problem: `It is in a graph with the key ${key}, which does not exist`,
          };
        const problem = `It is not listed under projects of its graphs: ${missingProjects.join(', ')}`;
        if (missingProjects.length > 0) yield { kind: 'index', id, problem };
      }
  }

  return {
    check,

    async rebuild() {
      for await (const some of duplicates()) await translated(() => takeOver({ verified, unverified }, some));
      for (const statements of [verified, unverified])
        for await (const { _id, unknownGraphs, missingProjects } of wrongDocuments(statements))
          await translated(async () => {
            const right = { graphs: graphsWithout(unknownGraphs), projects: projectsWith(missingProjects) };
            await statements.updateOne({ _id }, [{ $set: right }]);
          });
    },
  };
}
