import { setImmediate } from 'node:timers/promises';
import type { Visibility } from '../../src/domain/access/visibility.ts';
import { ServiceError } from '../../src/domain/errors.ts';
import { type Cid, digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import type { GraphAttachments, GraphImport } from '../../src/domain/integrity/manifest/ports.ts';
import type {
  Graph,
  GraphPage,
  PutCounts,
  PutOutcome,
  StatementRow,
} from '../../src/domain/integrity/ports.ts';
import { placeNumber } from '../../src/domain/integrity/statements/places.ts';
import type {
  GraphReads,
  ListedStatement,
  OrderedRows,
  ReferringRow,
  StatementList,
  StatementRows,
} from '../../src/domain/integrity/statements/rows.ts';

/** A graph, or one that is being imported and has no name yet. */
interface Home {
  graph: Graph | null;
  attachments: GraphAttachments;
}

interface Kept {
  readonly row: StatementRow;
  readonly registrar: string | null;
  /** Rises with every row that is stored. */
  readonly seq: number;
  readonly homes: Home[];
}

type Sort = Map<string, Kept>;
/** The place of a row in a list: lower ones come first. */
type Order = readonly [number, number];

const byStoring: StatementList = { by: 'storing' };

/** What a store of statements has to do, in its plainest form. */
export class RowsInMemory implements AsyncDisposable {
  readonly #verified: Sort = new Map();
  readonly #unverified: Sort = new Map();
  readonly #homes: Home[] = [];
  #seq = 0;

  readonly rows = { verified: rowsOf(this.#verified), unverified: rowsOf(this.#unverified) };
  readonly statements = {
    putMany: async (
      rows: Iterable<StatementRow>,
      graphId: string | null,
      registrar: string | null = null,
    ) => {
      const home = graphId === null ? null : this.#home(graphId);
      if (home === undefined) throw new ServiceError('unknown_graph', `There is no graph ${graphId}.`);
      return this.#putAll(rows, home, registrar);
    },
    registrarOf: async ({ text }: Cid) => this.#verified.get(text)?.registrar ?? null,
  };
  readonly graphs = {
    add: async (graph: Graph) => this.#add({ graph, attachments: { contexts: [], anchors: [] } }),
    get: async (graphId: string) => this.#home(graphId)?.graph ?? undefined,
    children: async (
      parent: string | null,
      { limit }: { after: string | null; limit: number },
      visibility: Visibility,
    ): Promise<GraphPage> => {
      const children = this.#registered(visibility).filter(({ parentId }) => parentId === parent);
      return { graphs: children.slice(0, limit) };
    },
    named: async (name: string, limit: number, visibility: Visibility): Promise<Graph[]> =>
      this.#registered(visibility)
        .filter((graph) => graph.name === name)
        .slice(0, limit),
    statementCounts: async (graphIds: readonly (string | null)[], most: number): Promise<number[]> =>
      graphIds.map((graphId) => Math.min(this.#count(graphId), most + 1)),
  };
  readonly graphImports = { begin: async () => this.#begin() };
  readonly graphReads: GraphReads = {
    visible: async (graphIds, visibility) =>
      this.#registered(visibility)
        .map(({ graphId }) => graphId)
        .filter((graphId) => graphIds === null || graphIds.includes(graphId)),
    sizes: async (graphIds) => new Map(graphIds.map((graphId) => [graphId, this.#count(graphId)])),
    attachments: async (graphIds) => {
      const found = graphIds.flatMap((graphId) => this.#home(graphId)?.attachments ?? []);
      return {
        contexts: found.flatMap(({ contexts }) => contexts),
        anchors: found.flatMap(({ anchors }) => anchors),
      };
    },
  };

  readonly snapshot = async () => this;

  async [Symbol.asyncDispose](): Promise<void> {}

  #home(graphId: string): Home | undefined {
    return this.#homes.find(({ graph }) => graph?.graphId === graphId);
  }

  #registered({ projects }: Visibility): Graph[] {
    return this.#homes
      .flatMap(({ graph }) => graph ?? [])
      .filter(({ projectId }) => projects === 'all' || projects.has(projectId));
  }

  #count(graphId: string | null): number {
    if (graphId === null)
      return [...this.#verified.values()].filter(({ homes }) => homes.length === 0).length;
    const isIn = ({ homes }: Kept) => homes.some(({ graph }) => graph?.graphId === graphId);
    return [...this.#verified.values(), ...this.#unverified.values()].filter(isIn).length;
  }

  #add(home: Home & { graph: Graph }): 'added' | 'exists' {
    if (this.#home(home.graph.graphId)) return 'exists';
    this.#homes.push(home);
    return 'added';
  }

  #putAll(rows: Iterable<StatementRow>, home: Home | null, registrar: string | null = null): PutCounts {
    const counts = { stored: 0, joined: 0, known: 0 };
    for (const row of rows) counts[this.#put(row, home, registrar)] += 1;
    return counts;
  }

  #put(row: StatementRow, home: Home | null, registrar: string | null): PutOutcome {
    const name = row.jcsCid.text;
    const unverified = this.#unverified.get(name);
    const isPromoted = row.isTrusted && unverified !== undefined;
    const known = this.#verified.get(name) ?? (isPromoted ? undefined : unverified);
    if (known) return join(known, home) ? 'joined' : 'known';
    const kept = { row, registrar, seq: ++this.#seq, homes: isPromoted ? unverified.homes : [] };
    join(kept, home);
    (row.isTrusted ? this.#verified : this.#unverified).set(name, kept);
    if (isPromoted) this.#unverified.delete(name);
    return isPromoted ? 'joined' : 'stored';
  }

  #begin(): GraphImport {
    const home: Home = { graph: null, attachments: { contexts: [], anchors: [] } };
    let isOver = false;
    const demandOpen = () => {
      if (isOver) throw new ServiceError('conflict', 'The import is over.');
    };
    return {
      put: async (rows) => {
        demandOpen();
        return this.#putAll(rows, home);
      },
      publish: async (graph, attachments) => {
        demandOpen();
        if (this.#home(graph.graphId)) return 'exists';
        Object.assign(home, { graph, attachments });
        this.#homes.push(home);
        isOver = true;
        return 'added';
      },
      abandon: async () => {
        isOver = true;
        if (!home.graph) this.#forget(home);
      },
    };
  }

  #forget(home: Home): void {
    for (const sort of [this.#verified, this.#unverified])
      for (const [name, { homes }] of sort) {
        if (!homes.includes(home)) continue;
        homes.splice(homes.indexOf(home), 1);
        if (sort === this.#unverified && homes.length === 0) sort.delete(name);
      }
  }
}

function join({ homes }: Kept, home: Home | null): boolean {
  if (home === null || homes.includes(home)) return false;
  homes.push(home);
  return true;
}

function rowsOf(sort: Sort): StatementRows & OrderedRows {
  const inContents = (graphId: string | null) =>
    [...sort.values()]
      .filter(({ homes }) => {
        const registered = homes.flatMap(({ graph }) => graph ?? []);
        return graphId === null ? registered.length === 0 : registered.some((one) => one.graphId === graphId);
      })
      .map((kept) => [contentsMark(kept), kept.row] as const)
      .toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    async page(list, after, limit) {
      await setImmediate();
      const from = after === null ? null : readMark(after);
      const found: ListedStatement[] = [];
      for (const kept of inOrderOf(list, sort)) {
        const order = orderOf(list, kept);
        if ((from === null || compare(order, from) > 0) && isOn(list, kept)) found.push(listed(kept, order));
        if (found.length > limit) break;
      }
      const rows = found.slice(0, limit);
      return { rows, next: found.length > limit ? (rows.at(-1)?.mark ?? null) : null };
    },

    async referring(identifiers, places, limit) {
      await setImmediate();
      const newestFirst = [...sort.values()].reverse().map(referring);
      return identifiers.map((identifier) => {
        const found = newestFirst.filter(({ kind, references }) =>
          references.some(
            (it) => it.identifier === identifier && (places?.includes(placeNumber({ ...it, kind })) ?? true),
          ),
        );
        return found.length > limit ? null : found;
      });
    },

    async whole(jcsCids) {
      await setImmediate();
      return jcsCids.map((cid) => {
        const kept = sort.get(cid.text);
        return kept && { ...kept.row, memberships: membershipsOf(kept), position: kept.seq };
      });
    },

    async placed(jcsCids) {
      await setImmediate();
      return jcsCids.map((cid) => {
        const kept = sort.get(cid.text);
        return kept && { jcsCid: cid, memberships: membershipsOf(kept), position: kept.seq };
      });
    },

    async contents(graphId, after, limit) {
      await setImmediate();
      if (after !== null && !/^[0-9a-f]{48}$/.test(after)) throwBadMark();
      return inContents(graphId)
        .map(([mark]) => mark)
        .filter((mark) => after === null || mark > after)
        .slice(0, limit);
    },

    async atMarks(marks) {
      await setImmediate();
      const byMark = new Map([...sort.values()].map((kept) => [contentsMark(kept), kept.row]));
      return marks.map((mark) => byMark.get(mark));
    },
  };
}

function inOrderOf(list: StatementList, sort: Sort): Kept[] {
  const all = [...sort.values()];
  if (list.by === 'time')
    return all.toSorted((one, other) => compare(orderOf(list, one), orderOf(list, other)));
  return list.by === 'id' ? all : all.reverse();
}

function isOn(list: StatementList, kept: Kept): boolean {
  const { kind, time, rdfcCid, references } = kept.row;
  switch (list.by) {
    case 'storing':
      return true;
    case 'kind':
      return kind === list.kind;
    case 'time':
      return time !== null && time >= (list.from ?? time) && time < (list.until ?? Number.POSITIVE_INFINITY);
    case 'graph':
      return membershipsOf(kept).some(({ graphId }) => graphId === list.graphId);
    case 'projects':
      return membershipsOf(kept).some(({ projectId }) => list.projects.includes(projectId));
    case 'id':
      return rdfcCid.text === list.rdfcCid.text;
    case 'reference':
      return references.some(
        ({ identifier, role }) =>
          identifier === list.identifier && list.places.includes(placeNumber({ role, kind })),
      );
  }
}

function orderOf({ by }: StatementList, { seq, row }: Kept): Order {
  if (by === 'id') return [seq, 0];
  return by === 'time' ? [-(row.time ?? 0), -seq] : [-seq, 0];
}

function compare(one: Order, other: Order): number {
  return one[0] - other[0] || one[1] - other[1];
}

function readMark(mark: string): Order {
  const [, first, second] = /^(-?\d{1,15})_(-?\d{1,15})$/.exec(mark) ?? throwBadMark();
  return [Number(first), Number(second)];
}

function contentsMark({ row, seq }: Kept): string {
  return digestHex(row.rdfcCid).slice(0, 32) + seq.toString(16).padStart(16, '0');
}

function throwBadMark(): never {
  throw new ServiceError('invalid_request', 'This mark does not belong to this list.');
}

function membershipsOf({ homes }: Kept) {
  return homes.flatMap(({ graph }) =>
    graph ? [{ graphId: graph.graphId, projectId: graph.projectId }] : [],
  );
}

function listed(kept: Kept, order: Order): ListedStatement {
  return { ...kept.row, memberships: membershipsOf(kept), position: kept.seq, mark: order.join('_') };
}

function referring(kept: Kept): ReferringRow {
  const { jcs, kind, position: _, ...row } = listed(kept, orderOf(byStoring, kept));
  const { type } = kind === 'AssociationRegistration' ? JSON.parse(Buffer.from(jcs).toString()) : {};
  const associationType = typeof type === 'string' && type.length <= 100 ? type : null;
  return { ...row, kind, associationType };
}
