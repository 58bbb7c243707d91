import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { StatementKind } from '../kinds/registry.ts';
import type { StatementScope } from '../ports.ts';
import { otherPlaces } from '../statements/places.ts';
import type { Referring, StatementIndex } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import {
  attachedEdges,
  edgesAt,
  edgesOfNode,
  endsOf,
  type Flow,
  factPlaces,
  flowEnds,
  flowPlaces,
  flowStart,
  isComputation,
  type LineageEdge,
  nodeEdge,
  statementNode,
  usePlaces,
  wantedPlaces,
} from './edges.ts';
import { type Lineage, LineageGraph } from './graph.ts';

export interface LineageQuery {
  /** As references are spelled. */
  readonly start: string;
  readonly flows: readonly Flow[];
  /** Most computations between the start and any node. */
  readonly depth: number;
  /** Most nodes. */
  readonly limit: number;
  /** Kinds of the statements that make edges; null for all. */
  readonly kinds: readonly StatementKind[] | null;
}

/** What is asked of the statements that speak of a node. */
interface Question {
  readonly flows: readonly Flow[];
  /** What is said of it. */
  readonly facts: boolean;
  /** What it registered, operated or was used in: for the start alone, as it may be very much. */
  readonly uses: boolean;
}

interface Visit extends Question {
  readonly id: string;
}

const nodesAtOnce = 50;
/** The same once nothing is added any more: nodes share their statements. */
const leftAtOnce = 500;
/** Statements shown of those that say something of a node in one place. */
const factsShown = 100;
/** Statements read for each node that may be answered; one with many references counts for several. */
const readsPerNode = 8;
const referencesPerRead = 32;

/** Statements looked at in each place, to tell whether a node that was not gone on from has more to show. */
const leftLooked = [1, 20];

/** One traversal, level by level. */
export class LineageTrace {
  readonly #index: Pick<StatementIndex, 'referringTo'>;
  readonly #query: LineageQuery;
  readonly #scope: StatementScope;
  readonly #statement: ReferringStatement | undefined;
  readonly #graph: LineageGraph;
  readonly #reached = {
    upstream: new Set<string>(),
    downstream: new Set<string>(),
    facts: new Set<string>(),
  };
  /** Computations of which all far ends are in the graph. */
  readonly #goneThrough = {
    upstream: new WeakSet<ReferringStatement>(),
    downstream: new WeakSet<ReferringStatement>(),
  };
  /** What was reached and not gone on from. */
  readonly #left: Visit[] = [];
  #next: Visit[] = [];
  #reads: number;

  /** @param statement the start, when it names one. */
  constructor(
    index: Pick<StatementIndex, 'referringTo'>,
    query: LineageQuery,
    scope: StatementScope,
    statement: ReferringStatement | undefined,
  ) {
    this.#index = index;
    this.#query = query;
    this.#scope = scope;
    this.#statement = statement;
    this.#graph = new LineageGraph(query.start, query.limit, statement);
    this.#reads = readsPerNode * Math.max(query.limit, factsShown);
  }

  async run(): Promise<Lineage> {
    const { start, flows, depth } = this.#query;
    const statement = this.#statement;
    if (statement) await this.#showStart(statement);
    this.#reach(start, statement ? [] : flows);
    for (let level = 0; this.#next.length > 0; level += 1) {
      const visits = this.#next;
      this.#next = [];
      await this.#visitAll(visits, level, level < depth);
      if (statement && level === 0) await this.#goOnFromStart(statement);
    }
    await this.#noteLeft();
    return this.#graph.result();
  }

  /** Has a node visited on the next level, for what it was not visited for before. */
  #reach(id: string, towards: readonly Flow[]): void {
    const flows = towards.filter((flow) => !this.#reached[flow].has(id));
    const facts = !this.#reached.facts.has(id);
    for (const flow of flows) this.#reached[flow].add(id);
    this.#reached.facts.add(id);
    if (facts || flows.length > 0)
      this.#next.push({ id, flows, facts, uses: facts && id === this.#query.start });
  }

  #isWanted({ kind }: ReferringStatement): boolean {
    const kinds: readonly string[] | null = this.#query.kinds;
    return kinds === null || kinds.includes(kind);
  }

  async #showStart(statement: ReferringStatement): Promise<void> {
    if (!this.#isWanted(statement)) return;
    const edges = isComputation(statement.kind) ? attachedEdges(statement) : edgesOfNode(statement);
    await this.#add(statement, edges, 1, true);
  }

  async #goOnFromStart(statement: ReferringStatement): Promise<void> {
    if (!isComputation(statement.kind) || !this.#isWanted(statement)) return;
    const { start, flows, depth } = this.#query;
    for (const flow of flows) {
      if (depth > 0) await this.#goOn(statement, flow, 1);
      else this.#graph.cut(start, endsOf(statement, flowEnds(statement, flow)).toArray().length);
    }
  }

  /** Adds edges of a statement, as far as there is room. */
  async #add(
    statement: ReferringStatement,
    edges: Iterable<LineageEdge>,
    depth: number,
    isFact: boolean,
  ): Promise<LineageEdge[]> {
    const shown: LineageEdge[] = [];
    for (const edge of edges) {
      if (this.#graph.add(statement, edge, depth, isFact)) shown.push(edge);
      await yieldToEventLoop();
    }
    return shown;
  }

  /** Shows the far ends of a computation that is in the graph, and has them visited. */
  async #goOn(statement: ReferringStatement, flow: Flow, depth: number): Promise<void> {
    const goneThrough = this.#goneThrough[flow];
    if (goneThrough.has(statement)) return;
    const edges = edgesOfNode(statement, [flowEnds(statement, flow)]).toArray();
    const shown = await this.#add(statement, edges, depth, false);
    if (shown.length === edges.length) goneThrough.add(statement);
    for (const { from, to } of shown) this.#reach(flow === 'upstream' ? from : to, [flow]);
  }

  async #visitAll(visits: readonly Visit[], depth: number, goesOn: boolean): Promise<void> {
    const now = visits.map((visit) => (goesOn ? visit : { ...visit, flows: [] }));
    if (!goesOn) this.#left.push(...visits.map((visit) => ({ ...visit, facts: false, uses: false })));
    for (const group of alike(now)) {
      if (this.#graph.isFull || this.#reads <= 0) this.#left.push(...group);
      else await this.#visit(group, depth + 1);
    }
  }

  /** What is said of nodes comes first: it may take half of the graph, and computations all that is left. */
  async #visit(group: readonly Visit[], depth: number): Promise<void> {
    const limits = { facts: factsShown, flow: this.#query.limit, most: this.#reads };
    const computations: (() => Promise<void>)[] = [];
    for (const [{ id, flows }, { found, isCut }] of await this.#ask(group, limits)) {
      if (isCut) this.#graph.cut(id, 1);
      for (const { role, statement } of found) {
        this.#reads -= costOf(statement);
        const flow = flowOf(flows, role, statement);
        if (flow) computations.push(() => this.#showComputation(statement, id, flow, depth));
        else await this.#showFact(statement, id, role, depth);
      }
    }
    for (const show of computations) {
      await show();
      await yieldToEventLoop();
    }
  }

  async #showFact(statement: ReferringStatement, id: string, role: string, depth: number): Promise<void> {
    const isLinked = ({ from, to }: LineageEdge) =>
      from === id || to === id || this.#graph.hasNode(statementNode(statement));
    const edges = edgesAt(statement, id, role).filter(isLinked);
    await this.#add(statement, edges, depth, true);
  }

  async #showComputation(
    statement: ReferringStatement,
    id: string,
    flow: Flow,
    depth: number,
  ): Promise<void> {
    if (!this.#graph.add(statement, edgeInto(statement, id, flow), depth, false)) return;
    await this.#goOn(statement, flow, depth);
    await this.#add(statement, attachedEdges(statement), depth, true);
    this.#reach(statementNode(statement), []);
  }

  /** @param group visits that ask the same. */
  async #ask(
    group: readonly Visit[],
    limits: { facts: number; flow: number; most: number },
  ): Promise<[Visit, Referring][]> {
    const [first] = group;
    if (!first) return [];
    const { kinds } = this.#query;
    const facts = [...(first.facts ? factPlaces : []), ...(first.uses ? usePlaces : [])];
    const places = [
      ...wantedPlaces(facts, kinds, limits.facts),
      ...wantedPlaces(first.flows.flatMap(flowPlaces), kinds, limits.flow),
      ...(first.facts && kinds === null ? [{ place: otherPlaces, limit: limits.facts }] : []),
    ];
    const identifiers = group.map(({ id }) => id);
    const query = { identifiers, places, most: limits.most };
    const answers = await this.#index.referringTo(query, this.#scope);
    return answers.map((answer, at) => [group[at] as Visit, answer]);
  }

  /** Marks what was reached and not gone on from, where there is something to be seen: mostly a first look tells. */
  async #noteLeft(): Promise<void> {
    let unsure = this.#left;
    for (const looked of leftLooked) unsure = await this.#noteNew(unsure, looked);
    for (const { id } of unsure) this.#graph.cut(id, 1);
  }

  /** @returns those of which more would have to be looked at. */
  async #noteNew(visits: readonly Visit[], looked: number): Promise<Visit[]> {
    const limits = { facts: looked, flow: looked, most: Number.MAX_SAFE_INTEGER };
    const unsure: Visit[] = [];
    for (const group of alike(visits, leftAtOnce)) {
      for (const [visit, { found, isCut }] of await this.#ask(group, limits)) {
        if (await this.#hasNew(visit, found)) this.#graph.cut(visit.id, 1);
        else if (isCut) unsure.push(visit);
      }
    }
    return unsure;
  }

  async #hasNew({ id, flows }: Visit, found: Referring['found']): Promise<boolean> {
    for (const { role, statement } of found) {
      const flow = flowOf(flows, role, statement);
      for (const edge of flow ? computationEdges(statement, id, flow) : edgesAt(statement, id, role)) {
        if (!this.#graph.hasEdge(edge)) return true;
        await yieldToEventLoop();
      }
    }
    return false;
  }
}

function costOf({ references }: ReferringStatement): number {
  return 1 + Math.floor(references.length / referencesPerRead);
}

/** All that a computation adds where it is gone through. */
function* computationEdges(statement: ReferringStatement, id: string, flow: Flow): Generator<LineageEdge> {
  yield edgeInto(statement, id, flow);
  yield* edgesOfNode(statement, [flowEnds(statement, flow)]);
  yield* attachedEdges(statement);
}

function edgeInto(statement: ReferringStatement, id: string, flow: Flow): LineageEdge {
  return nodeEdge(statement, id, flowStart(statement, flow) ?? '');
}

function flowOf(flows: readonly Flow[], role: string, statement: ReferringStatement): Flow | undefined {
  return flows.find((flow) => flowStart(statement, flow) === role);
}

/** Visits that ask the same, not too many at once; without those that ask nothing. */
function alike(visits: readonly Visit[], atOnce = nodesAtOnce): Visit[][] {
  const asking = visits.filter(({ flows, facts }) => facts || flows.length > 0);
  const sorts = Object.groupBy(asking, ({ flows, facts, uses }) =>
    [facts, uses, ...flows.toSorted()].join(' '),
  );
  return Object.values(sorts).flatMap((sort = []) =>
    Array.from({ length: Math.ceil(sort.length / atOnce) }, (_, at) =>
      sort.slice(at * atOnce, (at + 1) * atOnce),
    ),
  );
}
