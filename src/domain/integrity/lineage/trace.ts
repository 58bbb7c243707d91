import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Folders } from '../folders/folders.ts';
import type { StatementKind } from '../kinds/registry.ts';
import type { StatementScope } from '../ports.ts';
import { otherPlaces } from '../statements/places.ts';
import type { Referring, StatementIndex } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import {
  attachedEdges,
  computationEdges,
  edgeInto,
  edgesAt,
  edgesOfNode,
  endsOf,
  type Flow,
  factPlaces,
  flowEnds,
  flowOf,
  flowPlaces,
  isComputation,
  type LineageEdge,
  statementNode,
  usePlaces,
  wantedPlaces,
} from './edges.ts';
import { FolderSteps } from './folder-steps.ts';
import { type Addition, type Lineage, LineageGraph } from './graph.ts';
import { alike, type Visit } from './visits.ts';

export interface LineageQuery {
  /** A normalized identifier (see `referenceIdentifier`). */
  readonly start: string;
  readonly flows: readonly Flow[];
  /** Computations between the start and a node. Default: as many as the nodes allow. */
  readonly depth?: number;
  readonly limit: number;
  /** Kinds of statements that make edges; null for all. */
  readonly kinds: readonly StatementKind[] | null;
  /** Whether only computations and folders are followed, without what else is stated about things. */
  readonly isBare?: true;
}

/** Once no nodes are added, larger groups are cheaper, because nodes share statements. */
const leftAtOnce = 500;
const factsShown = 100;
/** The budget of statements to read for each node of the limit. A statement with many references costs more. */
const readsPerNode = 8;
const referencesPerRead = 32;

/** Statements to read in each place to find out whether an unvisited node has more edges. */
const leftLooked = [1, 20];

export class LineageTrace {
  readonly #index: Pick<StatementIndex, 'referringTo'>;
  readonly #query: LineageQuery;
  readonly #scope: StatementScope;
  readonly #statement: ReferringStatement | undefined;
  readonly #graph: LineageGraph;
  readonly #steps: FolderSteps;
  readonly #reached = {
    upstream: new Set<string>(),
    downstream: new Set<string>(),
    facts: new Set<string>(),
  };
  /** Computations whose far ends are all in the graph. */
  readonly #goneThrough = {
    upstream: new WeakSet<ReferringStatement>(),
    downstream: new WeakSet<ReferringStatement>(),
  };
  /** Nodes that were reached but not followed. */
  readonly #left: Visit[] = [];
  #next: Visit[] = [];
  #reads: number;

  /** @param statement the start, if it is a statement. */
  constructor(
    folders: Folders,
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
    this.#steps = new FolderSteps(folders, index, scope);
    this.#reads = readsPerNode * Math.max(query.limit, factsShown);
  }

  async run(): Promise<Lineage> {
    const { start, flows, depth = Number.POSITIVE_INFINITY } = this.#query;
    const statement = this.#statement;
    if (statement) await this.#showStart(statement);
    this.#reach(start, statement ? [] : flows);
    for (let level = 0; this.#next.length > 0; level += 1) {
      const visits = this.#next;
      this.#next = [];
      await this.#visitAll(visits, { depth: level, goesOn: level < depth });
      if (statement && level === 0) await this.#goOnFromStart(statement);
    }
    await this.#noteLeft();
    return this.#graph.result(this.#steps.files);
  }

  /** Visits a node on the next level for what was not looked up before. */
  #reach(id: string, towards: readonly Flow[]): void {
    const flows = towards.filter((flow) => !this.#reached[flow].has(id));
    const facts = this.#query.isBare !== true && !this.#reached.facts.has(id);
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
    await this.#add(statement, edges, { depth: 1, isFact: true });
  }

  async #goOnFromStart(statement: ReferringStatement): Promise<void> {
    if (!isComputation(statement.kind) || !this.#isWanted(statement)) return;
    const { start, flows, depth = Number.POSITIVE_INFINITY } = this.#query;
    for (const flow of flows) {
      if (depth > 0) await this.#goOn(statement, flow, 1);
      else this.#graph.cut(start, endsOf(statement, flowEnds(statement, flow)).toArray().length);
    }
  }

  async #add(statement: ReferringStatement, edges: Iterable<LineageEdge>, addition: Addition) {
    const shown: LineageEdge[] = [];
    for (const edge of edges) {
      if (this.#graph.add(statement, edge, addition)) shown.push(edge);
      await yieldToEventLoop();
    }
    return shown;
  }

  /** Adds the far ends of a computation in the graph, and visits them. */
  async #goOn(statement: ReferringStatement, flow: Flow, depth: number): Promise<void> {
    const goneThrough = this.#goneThrough[flow];
    if (goneThrough.has(statement)) return;
    const edges = edgesOfNode(statement, [flowEnds(statement, flow)]).toArray();
    const shown = await this.#add(statement, edges, { depth, isFact: false });
    if (shown.length === edges.length) goneThrough.add(statement);
    for (const { from, to } of shown) this.#reach(flow === 'upstream' ? from : to, [flow]);
  }

  async #visitAll(
    visits: readonly Visit[],
    { depth, goesOn }: { readonly depth: number; readonly goesOn: boolean },
  ): Promise<void> {
    const along = goesOn ? await this.#stepThroughFolders(visits, depth + 1) : [];
    const now = [...visits, ...along].map((visit) => (goesOn ? visit : { ...visit, flows: [] }));
    if (!goesOn) this.#left.push(...visits.map((visit) => ({ ...visit, facts: false, uses: false })));
    for (const group of alike(now)) {
      if (this.#graph.isFull || this.#reads <= 0) this.#left.push(...group);
      else await this.#visit(group, depth + 1);
    }
  }

  /** Adds folders of files, and files of folders, which are visited on the same level. */
  async #stepThroughFolders(visits: readonly Visit[], depth: number): Promise<Visit[]> {
    if (this.#query.kinds !== null) return [];
    for (const { to, flows, edge, statement } of await this.#steps.from(visits))
      if (this.#graph.add(statement, edge, { depth, isFact: false })) this.#reach(to, flows);
    return this.#next.splice(0);
  }

  /** Facts come first. They may take half of the graph, and computations the rest. */
  async #visit(group: readonly Visit[], depth: number): Promise<void> {
    const limits = { facts: factsShown, flow: this.#query.limit, most: this.#reads };
    const computations: (() => Promise<void>)[] = [];
    // Many parts of one thing leave room for what else is known.
    const facts: Record<'small' | 'large', (() => Promise<void>)[]> = { small: [], large: [] };
    for (const [{ id, flows }, { found, isCut }] of await this.#ask(group, limits)) {
      if (isCut) this.#graph.cut(id, 1);
      for (const { role, statement } of found) {
        this.#reads -= 1 + Math.floor(statement.references.length / referencesPerRead);
        const flow = flowOf(flows, role, statement);
        if (flow) computations.push(() => this.#showComputation(statement, id, flow, depth));
        else {
          const isLarge = statement.references.length > referencesPerRead;
          facts[isLarge ? 'large' : 'small'].push(() => this.#showFact(statement, id, role, depth));
        }
      }
    }
    for (const show of [...facts.small, ...facts.large, ...computations]) {
      await show();
      await yieldToEventLoop();
    }
  }

  async #showFact(statement: ReferringStatement, id: string, role: string, depth: number): Promise<void> {
    const isLinked = ({ from, to }: LineageEdge) =>
      from === id || to === id || this.#graph.hasNode(statementNode(statement));
    const edges = edgesAt(statement, id, role).filter(isLinked);
    await this.#add(statement, edges, { depth, isFact: true });
  }

  async #showComputation(statement: ReferringStatement, id: string, flow: Flow, depth: number) {
    if (!this.#graph.add(statement, edgeInto(statement, id, flow), { depth, isFact: false })) return;
    await this.#goOn(statement, flow, depth);
    await this.#add(statement, attachedEdges(statement), { depth, isFact: true });
    this.#reach(statementNode(statement), []);
  }

  async #ask(group: readonly Visit[], limits: { facts: number; flow: number; most: number }) {
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
    return answers.map((answer, at): [Visit, Referring] => [group[at] as Visit, answer]);
  }

  /**
   * Marks unvisited nodes that have more edges. Mostly a first small look is enough. What they reach over edges that are
   * shown already, because another direction came upon them, is looked at too.
   */
  async #noteLeft(): Promise<void> {
    for (let left = this.#left; left.length > 0; left = this.#next) {
      this.#next = [];
      let unsure: readonly Visit[] = left;
      for (const looked of leftLooked) unsure = await this.#noteNew(unsure, looked);
      for (const { id } of unsure) this.#graph.cut(id, 1);
    }
  }

  /** @returns the visits that need a larger look. */
  async #noteNew(visits: readonly Visit[], looked: number): Promise<Visit[]> {
    const limits = { facts: looked, flow: looked, most: Number.MAX_SAFE_INTEGER };
    const unsure: Visit[] = [];
    for (const group of alike(visits, leftAtOnce)) {
      for (const [visit, { found, isCut }] of await this.#ask(group, limits)) {
        if (await this.#hasNew(visit, found)) this.#graph.cut(visit.id, 1);
        else if (isCut) unsure.push(visit);
        else this.#reachOver(visit, found);
      }
    }
    return unsure;
  }

  /** Visits the far ends of computations whose edges are all shown. */
  #reachOver({ flows }: Visit, found: Referring['found']): void {
    for (const { role, statement } of found) {
      const flow = flowOf(flows, role, statement);
      if (!flow) continue;
      for (const { from, to } of edgesOfNode(statement, [flowEnds(statement, flow)]))
        this.#reach(flow === 'upstream' ? from : to, [flow]);
    }
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
