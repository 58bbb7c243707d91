import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from 'vitest';
import { everythingVisible } from '../../src/domain/access/visibility.ts';
import type { StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';
import { openEmbeddedCheck } from '../../src/storage/embedded/fsck/open-fsck.ts';
import type { LevelSizes } from '../../src/storage/embedded/index/levels.ts';
import { type EmbeddedStore, openEmbedded } from '../../src/storage/embedded/open-embedded.ts';
import { IndexModel } from '../contract/statement-index-model.ts';
import {
  type Asked,
  BegunAnswer,
  expectAnswer,
  expectNeighbours,
  type IndexBesideModel,
} from './answers-beside-model.ts';
import { names, places, rowOf, type Said, things } from './said.ts';
import { newFolder } from './temporary-folder.ts';

/** Statements that are stored together; under the graph with this number, if there is one. */
export interface Batch {
  readonly said: readonly Said[];
  readonly graph: number;
}

const everything: Asked = {
  question: {
    ask: 'search',
    filter: { kind: null, subject: null, registeredBy: null, from: null, until: null },
  },
  scope: { graphId: null, visibility: everythingVisible },
  limit: 100,
};

/** An embedded store, and a model that is told and asked the same. */
export class StoreBesideModel implements AsyncDisposable {
  readonly #folder: string;
  readonly #model = new IndexModel();
  readonly #graphIds: string[] = [];
  readonly #begun: BegunAnswer[] = [];
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

  get #both(): IndexBesideModel {
    return { index: this.#store.statementIndex, model: this.#model };
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
    await expectAnswer(this.#both, asked);
  }

  async askNeighbours(scope: StatementScope): Promise<void> {
    await expectNeighbours(this.#both, scope);
  }

  /** Reads the first page of an answer, and keeps the cursor. */
  async begin(asked: Asked): Promise<void> {
    const begun = new BegunAnswer(asked, this.#model);
    if (await begun.goOn(this.#both)) this.#begun.push(begun);
  }

  /** Reads the next page of everything that was begun. */
  async goOn(): Promise<void> {
    for (const begun of this.#begun.splice(0)) if (await begun.goOn(this.#both)) this.#begun.push(begun);
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
    await this.ask(everything);
  }

  /** Reads what was begun to its end, closes the store, and looks at its database. @returns the sizes of levels. */
  async finish(): Promise<Map<string, number>> {
    while (this.#begun.length > 0) await this.goOn();
    await this.compareAll();
    await this.#store[Symbol.asyncDispose]();
    await using audit = await openEmbeddedCheck(this.#folder);
    expect(await Array.fromAsync(audit.database(false))).toEqual([]);
    expect(await Array.fromAsync(audit.indexes(false, () => undefined))).toEqual([]);
    using database = new DatabaseSync(join(this.#folder, 'cairn.db'));
    const levels = database.prepare('SELECT name, size FROM levels').all();
    return new Map(levels.map(({ name, size }) => [String(name), Number(size)]));
  }
}

/** For comparison: a store may give its bytes as a Buffer. */
function plain<Given extends StatementRow>({ jcsCid, rdfcCid, jcs, ...others }: Given) {
  return { ...others, jcsCid: jcsCid.text, rdfcCid: rdfcCid.text, jcs: Buffer.from(jcs).toString() };
}
