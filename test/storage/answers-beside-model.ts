import { expect } from 'vitest';
import type { StatementFilter, StatementRow, StatementScope } from '../../src/domain/integrity/ports.ts';
import type { StatementIndex } from '../../src/domain/integrity/statements/questions.ts';
import type { IndexModel } from '../contract/statement-index-model.ts';
import { kinds, makers, places, rowOf, things } from './said.ts';

/** What is asked, and what it has to answer. */
export interface IndexBesideModel {
  readonly index: StatementIndex;
  readonly model: IndexModel;
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

/** Reads an answer to its end. */
export async function expectAnswer({ index, model }: IndexBesideModel, asked: Asked): Promise<void> {
  const found: string[] = [];
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page = await readPage(index, asked, after);
    found.push(...page.found);
    after = page.next;
  }
  expect(inOrder(found, asked)).toEqual(inOrder(answerOf(model, asked), asked));
}

/** An answer of which somebody reads a page from time to time. */
export class BegunAnswer {
  readonly #asked: Asked;
  readonly #before: readonly string[];
  readonly #found: string[] = [];
  #after: string | null = null;

  constructor(asked: Asked, model: IndexModel) {
    this.#asked = asked;
    this.#before = answerOf(model, asked);
  }

  /**
   * Reads the next page. At the end, what has been there all the time was found, and once: but for untrusted
   * statements, which are listed again where trusted ones are when they have become that.
   * @returns whether there is more.
   */
  async goOn({ index, model }: IndexBesideModel): Promise<boolean> {
    const now = answerOf(model, this.#asked);
    const { found, next } = await readPage(index, this.#asked, this.#after);
    expect(found.filter((name) => !now.includes(name))).toEqual([]);
    this.#found.push(...found);
    this.#after = next ?? null;
    if (next !== undefined) return true;
    expect(this.#found.filter((name, at) => this.#found.indexOf(name) < at)).toEqual([]);
    const stayed = plainNames(this.#before).intersection(plainNames(now));
    expect([...stayed.difference(plainNames(this.#found))]).toEqual([]);
    return false;
  }
}

/** What a lineage asks: all that refers to some things, in kinds that it knows and in others. */
export async function expectNeighbours(
  { index, model }: IndexBesideModel,
  scope: StatementScope,
): Promise<void> {
  const known = places.filter(({ kind }) => kind !== kinds[2]);
  const others = places.filter(({ kind }) => kind === kinds[2]);
  const identifiers = [...things, ...makers];
  const query = {
    identifiers,
    places: known.map((place) => ({ ...place, limit: 1_000 })),
    beside: { kinds: kinds.slice(0, 2), limit: 1_000 },
    most: 100_000,
  };
  const answers = await index.referringTo(query, scope);
  const found = answers.map((answer) =>
    answer.found.map(({ role, statement }) => `${role} ${statement.kind} ${statement.rdfcCid.text}`),
  );
  const expected = identifiers.map((identifier) =>
    [...known, ...others].flatMap((place) =>
      model
        .references(identifier, place, scope)
        .map(({ rdfcCid }) => `${place.role} ${place.kind} ${rdfcCid.text}`),
    ),
  );
  expect(answers.filter(({ isCut }) => isCut)).toEqual([]);
  if (scope.graphId === null) expect(found).toEqual(expected);
  else expect(found.map((names) => names.sort())).toEqual(expected.map((names) => names.sort()));
}

async function readPage(index: StatementIndex, { question, scope, limit }: Asked, after: string | null) {
  const page = { after, limit };
  if (question.ask === 'references') {
    const { references, next } = await index.references(question.identifier, page, scope);
    return { found: references.map(({ role, statement }) => listed(role, statement)), next };
  }
  const { statements, next } =
    question.ask === 'search'
      ? await index.search(question.filter, page, scope)
      : await index.forms(idOf(question.name), page, scope);
  return { found: statements.map(({ jcsCid }) => jcsCid.text), next };
}

function answerOf(model: IndexModel, { question, scope }: Asked): string[] {
  if (question.ask === 'search') return model.search(question.filter, scope);
  if (question.ask === 'forms') return model.forms(idOf(question.name), scope);
  return places.flatMap((place) =>
    model.references(question.identifier, place, scope).map((row) => listed(place.role, row)),
  );
}

function idOf(name: number) {
  return rowOf({ name, form: 0, lie: null }).rdfcCid;
}

const untrusted = ' (untrusted)';

function listed(role: string, { jcsCid, isTrusted }: StatementRow): string {
  return `${role} ${jcsCid.text}${isTrusted ? '' : untrusted}`;
}

function plainNames(names: readonly string[]): Set<string> {
  return new Set(names.map((name) => name.replace(untrusted, '')));
}

/** Of one graph, what untrusted statements say is listed apart. */
function inOrder(found: readonly string[], { question, scope }: Asked): readonly string[] {
  return question.ask === 'references' && scope.graphId !== null ? found.toSorted() : found;
}
