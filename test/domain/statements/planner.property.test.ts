import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type {
  Page,
  StatementFilter,
  StatementRow,
  StatementScope,
} from '../../../src/domain/integrity/ports.ts';
import {
  otherPlaces,
  placeNumber,
  statementPlaces,
} from '../../../src/domain/integrity/statements/places.ts';
import type { ListedStatement } from '../../../src/domain/integrity/statements/rows.ts';
import { statementIndex } from '../../../src/domain/integrity/statements/statement-index.ts';
import { row } from '../../builders/rows.ts';
import { RowsInMemory } from '../../contract/rows-in-memory.ts';
import { runs } from '../../property-runs.ts';

const kinds = [
  'DataRegistration',
  'MetadataRegistration',
  'CredentialRegistration',
  'https://example.org/Kind',
];
const roles = ['subject', 'credentialSubject', 'payload', 'data', 'registeredBy', 'odd'];
const things = ['urn:x:one', 'urn:x:other'];
const graphIds = ['a', 'b', 'c'];
/** The last two graphs are of one project. */
const projects = ['p', 'q', 'q'];

const saidRow = fc.record({
  name: fc.nat({ max: 20 }),
  meaning: fc.nat({ max: 5 }),
  kind: fc.constantFrom(...kinds),
  time: fc.option(fc.nat({ max: 4 })),
  isTrusted: fc.boolean(),
  references: fc.uniqueArray(
    fc.record({ role: fc.constantFrom(...roles), identifier: fc.constantFrom(...things) }),
    { maxLength: 4, selector: ({ role, identifier }) => role + identifier },
  ),
});
const steps = fc.record({ graph: fc.nat({ max: 3 }), rows: fc.array(saidRow, { maxLength: 10 }) });
const histories = fc.array(steps, { maxLength: 6 });
const scopes = fc
  .record({
    graphId: fc.option(fc.constantFrom(...graphIds)),
    visibility: fc.oneof(
      fc.constant('all' as const),
      fc.subarray(['p', 'q']).map((some) => new Set(some)),
    ),
  })
  .map(({ graphId, visibility }): StatementScope => ({ graphId, visibility: { projects: visibility } }));
const noFilter: StatementFilter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
const filters = fc.record({
  kind: fc.option(fc.constantFrom(...kinds)),
  subject: fc.option(fc.constantFrom(...things)),
  registeredBy: fc.option(fc.constantFrom(...things)),
  from: fc.option(fc.nat({ max: 4 })),
  until: fc.option(fc.nat({ max: 5 })),
});

type Step = typeof steps extends fc.Arbitrary<infer Given> ? Given : never;

async function filled(history: readonly Step[]) {
  const store = new RowsInMemory();
  for (const [at, graphId] of graphIds.entries())
    await store.graphs.add({ graphId, name: graphId, parentId: null, projectId: projects[at] ?? '' });
  for (const step of history) await put(store, step);
  return store;
}

async function put(store: RowsInMemory, { graph, rows }: Step): Promise<void> {
  const given = rows.map(({ name, meaning, ...fields }) =>
    row(`${name}`, { ...fields, meaning: `${meaning}` }),
  );
  await store.statements.putMany(given, graphIds[graph] ?? null);
}

/** The rows that a question is about, newest stored first: unverified ones before the others. */
async function rowsInScope({ rows }: RowsInMemory, { graphId, visibility }: StatementScope) {
  const isVisible = (projectId: string) =>
    visibility.projects === 'all' || visibility.projects.has(projectId);
  const found: ListedStatement[][] = [];
  for (const sort of graphId === null ? [rows.verified] : [rows.unverified, rows.verified]) {
    const page = await sort.page({ by: 'storing' }, null, 10_000);
    found.push(
      page.rows.filter(({ memberships }) => {
        const visible = memberships.filter(({ projectId }) => isVisible(projectId));
        if (graphId !== null) return visible.some((one) => one.graphId === graphId);
        return visibility.projects === 'all' || visible.length > 0;
      }),
    );
  }
  return found;
}

type Answer = { readonly found: readonly string[]; readonly next: string | undefined };

/** Every page of an answer, and again from each of its cursors in pages of another size. */
async function expectPages(ask: (page: Page) => Promise<Answer>, limit: number, expected: readonly string[]) {
  const found: string[] = [];
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const rest = await ask({ after, limit: 1_000 });
    expect(rest).toEqual({ found: expected.slice(found.length), next: undefined });
    const page: Answer = await ask({ after, limit });
    expect(page.found.length).toBeLessThanOrEqual(limit);
    found.push(...page.found);
    after = page.next;
  }
  expect(found).toEqual(expected);
}

async function check<Asked>(
  questions: fc.Arbitrary<Asked>,
  ask: (store: RowsInMemory, scope: StatementScope, asked: Asked, limit: number) => Promise<void>,
) {
  await fc.assert(
    fc.asyncProperty(
      histories,
      scopes,
      questions,
      fc.integer({ min: 2, max: 5 }),
      async (history, scope, asked, limit) => {
        await ask(await filled(history), scope, asked, limit);
      },
    ),
    { numRuns: runs(150) },
  );
}

const names = (rows: readonly { jcsCid: { text: string } }[]) => rows.map(({ jcsCid }) => jcsCid.text);

describe('pages equal a filter over all rows', () => {
  test('of a search', async () => {
    await check(filters, async (store, scope, filter, limit) => {
      const isByTime =
        filter.subject === null &&
        filter.registeredBy === null &&
        scope.graphId === null &&
        (filter.from !== null || filter.until !== null);
      const parts = (await rowsInScope(store, scope)).map((rows) =>
        rows.filter((each) => fits(each, filter)),
      );
      const sorted = parts.map((rows) =>
        isByTime ? rows.toSorted((one, other) => (other.time ?? 0) - (one.time ?? 0)) : rows,
      );
      const search = async (page: Page) => {
        const { statements, next } = await statementIndex(store.rows).search(filter, page, scope);
        return { found: names(statements), next };
      };
      await expectPages(search, limit, names(sorted.flat()));
    });
  });

  test('of the references to an identifier', async () => {
    await check(fc.constantFrom(...things), async (store, scope, identifier, limit) => {
      const expected = (await rowsInScope(store, scope)).flatMap((rows) =>
        [...statementPlaces.map(placeNumber), otherPlaces].flatMap((place) =>
          rows.flatMap(({ jcsCid, kind, references }) =>
            references
              .filter((it) => it.identifier === identifier && placeNumber({ ...it, kind }) === place)
              .map(({ role }) => `${role} ${jcsCid.text}`)
              .sort(),
          ),
        ),
      );
      const list = async (page: Page) => {
        const { references, next } = await statementIndex(store.rows).references([identifier], page, scope);
        return { found: references.map(({ role, statement }) => `${role} ${statement.jcsCid.text}`), next };
      };
      await expectPages(list, limit + 2, expected);
    });
  });

  test('of the forms of an id', async () => {
    await check(fc.nat({ max: 5 }), async (store, scope, meaning, limit) => {
      const { rdfcCid } = row('', { meaning: `${meaning}` });
      const parts = await rowsInScope(store, scope);
      const forms = parts.flatMap((rows) =>
        rows.filter((each) => each.rdfcCid.text === rdfcCid.text).reverse(),
      );
      const list = async (page: Page) => {
        const { statements, next } = await statementIndex(store.rows).forms(rdfcCid, page, scope);
        return { found: names(statements), next };
      };
      await expectPages(list, limit, names(forms));
    });
  });

  test('for traversals, read at once or place by place', async () => {
    await check(fc.constant(null), async (store, scope, _, limit) => {
      const wanted = [...statementPlaces.map(placeNumber), otherPlaces].map((place) => ({ place, limit }));
      const identifiers = [...things, 'urn:x:none'];
      const parts = (await rowsInScope(store, scope)).flat();
      const expected = identifiers.map((identifier) => {
        const places = wanted.map(({ place }) =>
          parts.flatMap(({ rdfcCid, kind, references }) =>
            references
              .filter((it) => it.identifier === identifier && placeNumber({ ...it, kind }) === place)
              .map(({ role }) => `${role} ${rdfcCid.text}`),
          ),
        );
        const isCut = places.some((entries) => entries.length > limit);
        return { found: places.flatMap((entries) => entries.slice(0, limit)).sort(), isCut };
      });
      const { verified, unverified } = store.rows;
      const nothingIsFew = [verified, unverified].map((rows) => ({
        ...rows,
        referring: async (asked: readonly string[]) => asked.map(() => null),
      }));
      const [oneByOne = verified, others = unverified] = nothingIsFew;
      for (const asked of [
        statementIndex(store.rows),
        statementIndex({ verified: oneByOne, unverified: others }),
      ]) {
        const answers = await asked.referringTo({ identifiers, places: wanted, most: 10_000 }, scope);
        const told = answers.map(({ found, isCut }) => ({
          found: found.map(({ role, statement }) => `${role} ${statement.rdfcCid.text}`).sort(),
          isCut,
        }));
        for (const [at, { found, isCut }] of expected.entries()) {
          if (isCut) expect(told[at]).toMatchObject({ isCut });
          else expect(told[at]?.found).toEqual(found);
          if (scope.visibility.projects === 'all' && scope.graphId === null)
            expect(told[at]?.isCut).toBe(isCut);
        }
      }
    });
  });
});

test('an answer during concurrent writes has all earlier rows, and no duplicates', async () => {
  const tell = ({ jcsCid, isTrusted }: StatementRow) => `${jcsCid.text} ${isTrusted}`;
  await fc.assert(
    fc.asyncProperty(histories, histories, scopes, async (before, during, scope) => {
      const store = await filled(before);
      const index = statementIndex(store.rows);
      const asked: ((page: Page) => Promise<{ found: string[]; next?: string }>)[] = [
        async (page) => {
          const { statements, ...rest } = await index.search(noFilter, page, scope);
          return { found: statements.map(tell), ...rest };
        },
        async (page) => {
          const { references, ...rest } = await index.references([things[0] ?? ''], page, scope);
          return { found: references.map(({ role, statement }) => `${role} ${tell(statement)}`), ...rest };
        },
      ];
      const everything = { after: null, limit: 1_000 };
      const there = await Promise.all(asked.map(async (ask) => (await ask(everything)).found));
      const begun = asked.map((ask) => ({
        ask,
        found: [] as string[],
        after: null as string | null | undefined,
      }));
      for (const step of [...during, ...Array(1_000).fill(undefined)]) {
        if (step) await put(store, step);
        for (const each of begun.filter(({ after }) => after !== undefined)) {
          const { found, next } = await each.ask({ after: each.after ?? null, limit: 2 });
          each.found.push(...found);
          each.after = next;
        }
        if (!step && begun.every(({ after }) => after === undefined)) break;
      }
      const now = await Promise.all(asked.map(async (ask) => (await ask(everything)).found));
      for (const [at, { found }] of begun.entries()) {
        expect(new Set(found).size).toBe(found.length);
        const stayed = there[at]?.filter((name) => now[at]?.includes(name)) ?? [];
        expect(found).toEqual(expect.arrayContaining(stayed));
      }
    }),
    { numRuns: runs(150) },
  );
});

function fits({ kind, time, references }: ListedStatement, filter: StatementFilter): boolean {
  const refers = (identifier: string | null, among: readonly string[]) =>
    identifier === null || references.some((it) => it.identifier === identifier && among.includes(it.role));
  return (
    (filter.kind === null || kind === filter.kind) &&
    (filter.from === null || (time !== null && time >= filter.from)) &&
    (filter.until === null || (time !== null && time < filter.until)) &&
    refers(filter.subject, ['subject', 'credentialSubject', 'payload']) &&
    refers(filter.registeredBy, ['registeredBy'])
  );
}
