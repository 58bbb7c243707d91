import { ObjectId } from 'mongodb';
import { codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StoreProblem } from '../../../domain/maintenance/fsck/ports.ts';
import { lost, repairable } from '../../../domain/maintenance/fsck/problems.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { attachmentCollection } from '../graphs/graph-attachments.ts';
import { graphCollection, importCollection } from '../graphs/graph-documents.ts';
import type { GraphNumbers } from '../graphs/graph-numbers.ts';
import { positionBytes } from '../positions.ts';
import { type StatementDocument, statementCollection } from '../statements/statement-documents.ts';
import { isBytes, isDigest } from './documents.ts';
import { pagesByKey } from './pages.ts';

type Light = Pick<StatementDocument, '_id' | 'graphs' | 'projects' | 'position'>;

const pageDocuments = 2_000;
const pageAttachments = 10;
const projection = { graphs: 1, projects: 1, position: 1 };

/** What each document says of its graphs, their projects, and its place among the others. */
export async function* fsckMemberships(
  database: Database,
  numbers: GraphNumbers,
  repair: boolean,
  onRows: (done: number) => void,
): AsyncGenerator<StoreProblem> {
  let done = 0;
  const options = { first: Buffer.alloc(0), limit: pageDocuments, projection };
  for await (const page of pagesByKey(statementCollection(database), options)) {
    const doubtful = await doubted(database, numbers, page);
    for (const { _id } of doubtful) {
      // Once more, as it is by now: what it was in may have been forgotten meanwhile, together with it.
      const [again] = await doubted(database, numbers, await read(database, _id));
      if (again) yield* problemsOf(database, again, repair);
    }
    done += page.length;
    onRows(done);
  }
}

async function read(database: Database, _id: Uint8Array): Promise<Light[]> {
  return await translated(() => statementCollection(database).find<Light>({ _id }, { projection }).toArray());
}

interface Doubted {
  readonly _id: Uint8Array;
  /** What is said of it otherwise than it should be. */
  readonly isMisplaced: boolean;
  readonly unknownGraphs: readonly number[];
  readonly missingProjects: readonly string[];
}

async function doubted(
  database: Database,
  numbers: GraphNumbers,
  documents: readonly Light[],
): Promise<Doubted[]> {
  const all = documents.flatMap(({ graphs }) => listOf(graphs));
  const registered = await numbers.registered(all.filter((number) => typeof number === 'number'));
  const importing = await importingAmong(
    database,
    all.filter((number) => !registered.has(number)),
  );
  return documents.flatMap(({ _id, graphs, projects, position }) => {
    const named = listOf(graphs).flatMap((number) => registered.get(number)?.projectId ?? []);
    const doubt: Doubted = {
      _id,
      isMisplaced: !isBytes(position) || position.length !== positionBytes || !Array.isArray(graphs),
      unknownGraphs: listOf(graphs).filter((number) => !registered.has(number) && !importing.has(number)),
      missingProjects: [...new Set(named).difference(new Set(listOf(projects)))],
    };
    const isDoubtful = doubt.isMisplaced || doubt.unknownGraphs.length + doubt.missingProjects.length > 0;
    return isDoubtful ? [doubt] : [];
  });
}

function listOf<Item>(value: readonly Item[]): readonly Item[] {
  return Array.isArray(value) ? value : [];
}

async function importingAmong(database: Database, numbers: readonly number[]): Promise<ReadonlySet<number>> {
  if (numbers.length === 0) return new Set();
  const query = { _id: { $in: [...new Set(numbers)] } };
  const found = await translated(() => importCollection(database).find(query).toArray());
  return new Set(found.map(({ _id }) => _id));
}

async function* problemsOf(
  database: Database,
  { _id, isMisplaced, unknownGraphs, missingProjects }: Doubted,
  repair: boolean,
): AsyncGenerator<StoreProblem> {
  const statements = statementCollection(database);
  const id = isDigest(_id) ? makeCid(codecs.jcs, _id).text : Buffer.from(_id).toString('hex');
  if (isMisplaced)
    yield lost('statement', id, 'Its document has no place in the order of statements, or no graphs');
  for (const number of unknownGraphs) {
    if (repair) await translated(() => statements.updateOne({ _id }, { $pull: { graphs: number } }));
    const problem = `It is in a graph with the number ${number}, which does not exist`;
    yield repairable('membership', id, problem, repair);
  }
  if (missingProjects.length === 0) return;
  if (repair)
    await translated(() =>
      statements.updateOne({ _id }, { $addToSet: { projects: { $each: [...missingProjects] } } }),
    );
  const problem = `It is not listed under projects of its graphs: ${missingProjects.join(', ')}`;
  yield repairable('index', id, problem, repair);
}

/** Documents of graphs that are neither there nor on their way. */
export async function* fsckAttachments(database: Database): AsyncGenerator<StoreProblem> {
  const attachments = attachmentCollection(database);
  const options = { first: ObjectId.createFromTime(0), limit: pageAttachments };
  for await (const page of pagesByKey(attachments, options)) {
    for (const { _id, graph } of page) {
      // In the order of their going: the documents first, then their graph.
      if (await graphCollection(database).findOne({ _id: graph })) continue;
      if (!(await attachments.findOne({ _id }))) continue;
      const problem = `It belongs to a graph with the number ${graph}, which does not exist`;
      yield lost('attachment', String(_id), problem, 'Restore the database from a backup.');
    }
  }
}
