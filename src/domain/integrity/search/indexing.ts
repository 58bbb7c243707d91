import { everythingVisible } from '../../access/visibility.ts';
import type { UpgradeProgress } from '../../maintenance/upgrades/upgrades.ts';
import { type FileSearch, rowsWithFolders } from '../folders/indexing.ts';
import { type Cid, cidIn } from '../identifiers/cid.ts';
import type { GraphImports } from '../manifest/ports.ts';
import { type NameRecord, type NameRecords, namingKind } from '../names/name-records.ts';
import type { Graph, GraphStore } from '../ports.ts';
import { PackedRows, rowsOfKind } from '../statements/packed-rows.ts';
import type { PlacedStatement, StatementRowsOfStore } from '../statements/rows.ts';
import { entriesFor, groupOf, type SearchEntries, type SearchEntry } from './search-entries.ts';

export interface IndexingPorts {
  readonly entries: Pick<SearchEntries, 'insert'>;
  readonly rows: StatementRowsOfStore;
  readonly now: () => Date;
}

/** The entries of a name that a verified statement gives. A DID is found by itself, too. */
export function entriesOfName({ subject, name }: NameRecord, { id, order, projects }: Naming): SearchEntry[] {
  const found = { subject, group: groupOf(subject), statement: id, order };
  const texts = found.group === 'people' ? [name, subject] : [name];
  return texts.flatMap((text) => entriesFor(found, text, projects));
}

/** What a statement adds to its name. */
export interface Naming {
  /** The `jcs_cid`. */
  readonly id: string;
  readonly order: number;
  /** Of the graphs that have it. */
  readonly projects: readonly string[];
}

export function entriesOfGraph({ graphId, name, projectId }: Graph, order: number): SearchEntry[] {
  const found = { subject: `urn:uuid:${graphId}`, group: 'graphs', statement: null, order } as const;
  return entriesFor(found, name, [projectId]);
}

const entriesAtOnce = 1_000;

/** Indexes names for everybody who may see their statements now. */
async function indexNames({ entries, rows }: IndexingPorts, names: readonly NameRecord[]): Promise<void> {
  const cids = names.flatMap(({ id }) => cidIn(id) ?? []);
  if (cids.length === 0) return;
  const found = (await rows.verified.placed(cids)).filter((row) => row !== undefined);
  await indexNamesIn(entries, names, found);
}

/** Indexes names for everybody who may see these statements of theirs. */
export async function indexNamesIn(
  entries: IndexingPorts['entries'],
  names: readonly NameRecord[],
  rows: readonly PlacedStatement[],
): Promise<void> {
  const byId = new Map(rows.map((row) => [row.jcsCid.text, row]));
  const made = names.flatMap((name) => {
    const row = byId.get(name.id);
    return row ? entriesOfName(name, namingIn(row, name)) : [];
  });
  const distinct = [...new Map(made.map((entry) => [entry.id, entry])).values()];
  for (let at = 0; at < distinct.length; at += entriesAtOnce)
    await entries.insert(distinct.slice(at, at + entriesAtOnce));
}

function namingIn({ jcsCid, memberships }: PlacedStatement, { newestFirst }: NameRecord): Naming {
  const order = 0 - newestFirst;
  return { id: jcsCid.text, order, projects: memberships.map(({ projectId }) => projectId) };
}

interface Writes {
  readonly graphs: GraphStore;
  readonly graphImports: GraphImports;
}

/** Indexes graphs before they are registered, so that those of an interrupted request are found too, and the names and folders in imported graphs for those who may see the graph. */
export function searchedGraphs(
  { graphs, graphImports }: Writes,
  ports: IndexingPorts,
  names: Pick<NameRecords, 'among'>,
  files: Pick<FileSearch, 'stated'>,
): Writes {
  // Under the name that the graph has already. Readers look at the graph as well, so an entry without one shows nothing.
  const index = async (graph: Graph) => {
    const known = (await graphs.get(graph.graphId)) ?? graph;
    await ports.entries.insert(entriesOfGraph(known, microseconds(ports.now())));
  };
  return {
    graphs: {
      ...graphs,
      async add(graph) {
        await index(graph);
        return await graphs.add(graph);
      },
    },
    graphImports: {
      async begin(projectId) {
        const coming = await graphImports.begin(projectId);
        const naming: string[] = [];
        const aboutFolders: Cid[] = [];
        return {
          ...coming,
          async put(given) {
            const rows = given instanceof PackedRows ? given : [...given];
            for (const { jcsCid } of rowsOfKind(rows, namingKind)) naming.push(jcsCid.text);
            for (const { jcsCid } of rowsWithFolders(rows)) aboutFolders.push(jcsCid);
            return await coming.put(rows);
          },
          async publish(graph, attachments) {
            await index(graph);
            const outcome = await coming.publish(graph, attachments);
            // A repeat of an interrupted import finds the graph, and indexes its names as well.
            for (let at = 0; at < naming.length; at += namesAtOnce)
              await indexNames(
                ports,
                (await names.among('key', naming.slice(at, at + namesAtOnce), 1)).flat(),
              );
            await files.stated(aboutFolders);
            return outcome;
          },
        };
      },
    },
  };
}

function microseconds(time: Date): number {
  return time.getTime() * 1_000;
}

const namesAtOnce = 500;
const afterNames = 'graphs';

/** Indexes all names and graphs of a store. */
export async function* indexForSearch(
  ports: IndexingPorts,
  {
    names,
    graphs,
  }: { readonly names: Pick<NameRecords, 'page'>; readonly graphs: Pick<GraphStore, 'children'> },
  position: string | null,
): AsyncGenerator<UpgradeProgress> {
  let done = 0;
  for (let after = position; after !== afterNames; ) {
    const page = await names.page('key', [], { after, limit: namesAtOnce });
    await indexNames(ports, page.records);
    done += page.records.length;
    after = page.next ?? afterNames;
    if (done > 0) yield { done, position: after };
  }
  for await (const graph of allGraphs(graphs, null)) {
    await ports.entries.insert(entriesOfGraph(graph, microseconds(ports.now())));
    done += 1;
  }
  if (done > 0) yield { done, position: afterNames };
}

async function* allGraphs(
  graphs: Pick<GraphStore, 'children'>,
  parentId: string | null,
): AsyncGenerator<Graph> {
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: Awaited<ReturnType<GraphStore['children']>> = await graphs.children(
      parentId,
      { after, limit: namesAtOnce },
      everythingVisible,
    );
    for (const graph of page.graphs) {
      yield graph;
      yield* allGraphs(graphs, graph.graphId);
    }
    after = page.next;
  }
}
