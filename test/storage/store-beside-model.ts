import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { everythingVisible } from '../../src/domain/access.ts';
import type { StatementFilter, StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';
import type { LevelSizes } from '../../src/storage/embedded/levels.ts';
import { openEmbeddedAudit } from '../../src/storage/embedded/open-audit.ts';
import { type EmbeddedStore, openEmbedded } from '../../src/storage/embedded/open-embedded.ts';
import { IndexModel } from '../contract/statement-index-model.ts';
import { kinds, makers, names, places, rowOf, type Said, things } from './said.ts';
import { newFolder } from './temporary-folder.ts';

/** Statements that are stored together; under the graph with this number, if there is one. */
export interface Batch {
  readonly said: readonly Said[];
  readonly graph: number;
}

/** A question that is answered page by page. */
export type Question =
  | { readonly ask: 'search'; readonly filter: StatementFilter }
  | { readonly ask: 'references'; readonly identifier: string }
  | { readonly ask: 'forms'; readonly name: number };

export interface Asked {
  readonly question: Question;
  readonly scope: StatementScope;
  readonly limit: number;
}

/** An answer that somebody has read a part of. */
interface Begun extends Asked {
  readonly before: readonly string[];
  readonly found: string[];
  next: string | null;
}

const everything: StatementScope = { graphId: null, visibility: everythingVisible };
const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };

/** An embedded store, and a model that is told and asked the same. */
export class StoreBesideModel implements AsyncDisposable {
  readonly #folder: string;
  readonly #model = new IndexModel();
  readonly #graphIds: string[] = [];
  readonly #begun: Begun[] = [];
  #store: EmbeddedStore;

  private constructor(folder: string, store: EmbeddedStore) {
    this.#folder = folder;
    this.#store = store;
  }

  static async open(levelSizes: LevelSizes): Promise<StoreBesideModel> {
    const folder = await newFolder();
    return new StoreBesideModel(folder, await openEmbedded(folder, levelSizes));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    await rm(this.#folder, { recursive: true });
  }

  async addGraph(): Promise<void> {
    await this.#store.graphs.add(this.#newGraph());
  }

  #newGraph() {
    const graphId = `graph ${this.#graphIds.length}`;
    this.#graphIds.push(graphId);
    return { graphId, name: graphId, parentId: null, projectId: graphId };
  }

  /** One of the graphs, or none. */
  graphId(at: number): string | null {
    return this.#graphIds[at % (this.#graphIds.length + 1)] ?? null;
  }

  /** Batches that are on their way at once. */
  async put(batches: readonly Batch[]): Promise<void> {
    const given = batches.map(({ said, graph }) => ({ rows: said.map(rowOf), graphId: this.graphId(graph) }));
    const stored = given.map(({ rows, graphId }) => this.#store.statements.putMany(rows, graphId));
    const expected = given.map(({ rows, graphId }) => this.#model.putMany(rows, graphId));
    expect(await Promise.all(stored)).toEqual(expected);
  }

  /** An import in two parts, between which somebody else stores something. */
  async import(first: readonly Said[], other: readonly Batch[], isPublished: boolean) {
    const between = other.map(({ said, graph }) => ({ rows: said.map(rowOf), graphId: this.graphId(graph) }));
    const graph = this.#newGraph();
    this.#model.beginImport(graph.graphId);
    const coming = await this.#store.graphImports.begin(graph.projectId);
    const bring = async (rows: readonly StatementRow[]) =>
      expect(await coming.put(rows)).toEqual(this.#model.putMany(rows, graph.graphId));
    await bring(first.map(rowOf));
    for (const { rows, graphId } of between) {
      expect(await this.#store.statements.putMany(rows, graphId)).toEqual(this.#model.putMany(rows, graphId));
      await bring(rows.slice(1));
    }
    if (isPublished) {
      expect(await coming.publish(graph, { contexts: [], anchors: [] })).toBe('added');
      this.#model.publish(graph.graphId);
    } else {
      await coming.abandon();
      this.#model.abandon(graph.graphId);
      this.#graphIds.pop();
    }
  }

  async reopen(levelSizes: LevelSizes): Promise<void> {
    await this.#store[Symbol.asyncDispose]();
    this.#store = await openEmbedded(this.#folder, levelSizes);
  }

  /** Reads an answer to its end. */
  async ask(asked: Asked): Promise<void> {
    const before = this.#answer(asked);
    const found: string[] = [];
    for (let after: string | null | undefined = null; after !== undefined; ) {
      const page = await this.#page(asked, after);
      found.push(...page.found);
      after = page.next;
    }
    expect(inOrder(found, asked)).toEqual(inOrder(before, asked));
  }

  /** Reads the first page of an answer, and keeps the cursor. */
  begin(asked: Asked): void {
    this.#begun.push({ ...asked, before: this.#answer(asked), found: [], next: null });
  }

  /**
   * Reads the next page of everything that was begun. What has been there all the time is found, and once: but for
   * untrusted statements, which are listed again where trusted ones are when they have become that.
   */
  async goOn(): Promise<void> {
    for (const begun of this.#begun.splice(0)) {
      const now = this.#answer(begun);
      const { found, next } = await this.#page(begun, begun.next);
      expect(found.filter((name) => !now.includes(name))).toEqual([]);
      begun.found.push(...found);
      if (next !== undefined) this.#begun.push(Object.assign(begun, { next }));
      else expectWhole(begun, now);
    }
  }

  async #page({ question, scope, limit }: Asked, after: string | null) {
    const index = this.#store.statementIndex;
    const page = { after, limit };
    if (question.ask === 'references') {
      const { references, next } = await index.references(question.identifier, page, scope);
      return { found: references.map(({ role, statement }) => listed(role, statement)), next };
    }
    const { statements, next } =
      question.ask === 'search'
        ? await index.search(question.filter, page, scope)
        : await index.forms(rowOf({ name: question.name, form: 0, lie: null }).rdfcCid, page, scope);
    return { found: statements.map(({ jcsCid }) => jcsCid.text), next };
  }

  #answer({ question, scope }: Asked): string[] {
    if (question.ask === 'search') return this.#model.search(question.filter, scope);
    if (question.ask === 'forms')
      return this.#model.forms(rowOf({ name: question.name, form: 0, lie: null }).rdfcCid, scope);
    return places.flatMap((place) =>
      this.#model.references(question.identifier, place, scope).map((row) => listed(place.role, row)),
    );
  }

  /** What a lineage asks: all that refers to some things, in kinds that it knows and in others. */
  async askNeighbours(scope: StatementScope): Promise<void> {
    const known = places.filter(({ kind }) => kind !== kinds[2]);
    const identifiers = [...things, ...makers];
    const answers = await this.#store.statementIndex.referringTo(
      {
        identifiers,
        places: known.map((place) => ({ ...place, limit: 1_000 })),
        beside: { kinds: kinds.slice(0, 2), limit: 1_000 },
        most: 100_000,
      },
      scope,
    );
    const byMeaning = (identifier: string) =>
      [...known, ...places.filter((place) => !known.includes(place))].flatMap((place) =>
        this.#model
          .references(identifier, place, scope)
          .map(({ rdfcCid }) => `${place.role} ${place.kind} ${rdfcCid.text}`),
      );
    const found = answers.map(({ found }) =>
      found.map(({ role, statement }) => `${role} ${statement.kind} ${statement.rdfcCid.text}`),
    );
    expect(answers.filter(({ isCut }) => isCut)).toEqual([]);
    if (scope.graphId === null) expect(found).toEqual(identifiers.map(byMeaning));
    expect(found.map((it) => it.toSorted())).toEqual(identifiers.map((it) => byMeaning(it).sort()));
  }

  /** Each form and each id, what refers to something, and all graphs. */
  async compareAll(): Promise<void> {
    const { statements, graphContents, graphs } = this.#store;
    for (let name = 0; name < names; name += 1) {
      for (const form of [0, 1, 2]) {
        const { jcsCid, rdfcCid } = rowOf({ name, form, lie: null });
        const byJcs = await statements.byJcsCid(jcsCid, everythingVisible);
        expect(byJcs && plain(byJcs)).toEqual(this.#model.byJcsCid(jcsCid, 'all'));
        const byRdfc = await statements.byRdfcCid(rdfcCid, everythingVisible);
        expect(byRdfc && plain(byRdfc)).toEqual(this.#model.byRdfcCid(rdfcCid, 'all'));
      }
    }
    for (const { role, kind } of places) {
      const query = { reference: { role, identifier: things[0] }, kind, graphId: null, limit: 1_000 };
      const found = await statements.referring(query, everythingVisible);
      expect(found.map(plain)).toEqual(this.#model.referring(query, 'all'));
    }
    for (const graphIds of [...this.#graphIds.map((graphId) => [graphId]), this.#graphIds]) {
      const pages = await Array.fromAsync(graphContents.statements(graphIds, everythingVisible));
      const found = pages.flat().map(({ jcsCid }) => jcsCid.text);
      expect(found).toEqual(this.#model.contents(graphIds));
    }
    const page = { after: null, limit: 1_000 };
    const children = await graphs.children(null, page, everythingVisible);
    expect(children.graphs.map(({ graphId, statements: count }) => [graphId, count])).toEqual(
      this.#graphIds.map((graphId) => [graphId, this.#model.contents([graphId]).length]),
    );
    await this.ask({ question: { ask: 'search', filter: noFilter }, scope: everything, limit: 100 });
  }

  /** Reads what was begun to its end, closes the store, and looks at its database. @returns the sizes of levels. */
  async finish(): Promise<Map<string, number>> {
    while (this.#begun.length > 0) await this.goOn();
    await this.compareAll();
    await this.#store[Symbol.asyncDispose]();
    await using audit = await openEmbeddedAudit(this.#folder);
    expect(await Array.fromAsync(audit.database(false))).toEqual([]);
    expect(await Array.fromAsync(audit.indexes(false, () => undefined))).toEqual([]);
    using database = new DatabaseSync(join(this.#folder, 'cairn.db'));
    const levels = database.prepare('SELECT name, size FROM levels').all();
    return new Map(levels.map(({ name, size }) => [String(name), Number(size)]));
  }
}

function listed(role: string, { jcsCid, isTrusted }: StatementRow): string {
  return `${role} ${jcsCid.text}${isTrusted ? '' : ' (untrusted)'}`;
}

function expectWhole({ before, found }: Begun, now: readonly string[]): void {
  const plainNames = (names: readonly string[]) =>
    new Set(names.map((name) => name.replace(' (untrusted)', '')));
  expect(found.filter((name, at) => found.indexOf(name) < at)).toEqual([]);
  const stayed = plainNames(before).intersection(plainNames(now));
  expect([...stayed.difference(plainNames(found))]).toEqual([]);
}

/** Of one graph, what untrusted statements say is listed apart. */
function inOrder(found: readonly string[], { question, scope }: Asked): readonly string[] {
  return question.ask === 'references' && scope.graphId !== null ? found.toSorted() : found;
}

/** For comparison: a store may give its bytes as a Buffer. */
function plain<Given extends StatementRow>({ jcsCid, rdfcCid, jcs, ...others }: Given) {
  return { ...others, jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, jcs: Buffer.from(jcs).toString() };
}
