import { LRUCache } from 'lru-cache';
import type { Collection } from 'mongodb';
import type { Visibility } from '../../../domain/access/visibility.ts';
import type { Database } from '../database.ts';
import { translated } from '../errors.ts';
import { type GraphDocument, graphCollection, isRegistered } from './graph-documents.ts';

const graphsKept = 50_000;
const numbersAtOnce = 1_000;

/** Tells graphs by their numbers. Registered ones never change and are kept; others are asked for each time. */
export class GraphNumbers {
  readonly #graphs: Collection<GraphDocument>;
  readonly #known = new LRUCache<number, GraphDocument>({ max: graphsKept });

  constructor(database: Database) {
    this.#graphs = graphCollection(database);
  }

  async find(graphId: string): Promise<GraphDocument | undefined> {
    return (await translated(() => this.#graphs.findOne({ graphId }))) ?? undefined;
  }

  /** The registered ones among the numbers; those that are being imported are left out. */
  async registered(numbers: Iterable<number>): Promise<ReadonlyMap<number, GraphDocument>> {
    const found = new Map<number, GraphDocument>();
    const unknown: number[] = [];
    for (const number of new Set(numbers)) {
      const graph = this.#known.get(number);
      if (graph) found.set(number, graph);
      else unknown.push(number);
    }
    for (let at = 0; at < unknown.length; at += numbersAtOnce) {
      const some = unknown.slice(at, at + numbersAtOnce);
      const query = { _id: { $in: some }, ...isRegistered };
      for (const graph of await translated(() => this.#graphs.find(query).toArray())) {
        this.#known.set(graph._id, graph);
        found.set(graph._id, graph);
      }
    }
    return found;
  }

  /**
   * The numbers of the graphs of some projects, in the order of their registration.
   * @returns undefined when there are more than `limit`.
   */
  async ofProjects(projects: ReadonlySet<string>, limit: number): Promise<number[] | undefined> {
    const query = { projectId: { $in: [...projects] } };
    const options = { projection: { _id: 1 }, limit: limit + 1 } as const;
    const found = await translated(() => this.#graphs.find(query, options).sort({ _id: 1 }).toArray());
    return found.length > limit ? undefined : found.map(({ _id }) => _id);
  }
}

export function isVisible({ projectId }: GraphDocument, { projects }: Visibility): boolean {
  return projects === 'all' || projects.has(projectId);
}
