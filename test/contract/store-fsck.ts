import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ContextKeeper, ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { type FsckSummary, fsckStore } from '../../src/domain/maintenance/fsck/fsck.ts';
import type { ProblemKind, StoreCheck, StoreProblem } from '../../src/domain/maintenance/fsck/ports.ts';
import { Rechecker } from '../../src/domain/maintenance/fsck/recheck.ts';
import { sampleOf } from '../../src/domain/maintenance/fsck/sample.ts';
import { StatementPool } from '../../workers/statement-pool.ts';
import { answers, type FillableStore, type Filled, fill } from './filled-store.ts';

/** Where a store is that is opened, audited and damaged by turns. */
export interface FsckPlace extends AsyncDisposable {
  open(): Promise<FillableStore & AsyncDisposable>;
  fsck(): Promise<StoreCheck>;
}

/** Something that an audit has to find. */
export interface Damage<Place> {
  readonly name: string;
  /** Does it; what it answers undoes it where no repair can. */
  readonly do: (place: Place, filled: Filled) => Promise<unknown>;
  /** What is found, each with its id where that is known, in any order. */
  readonly finds: (filled: Filled) => readonly (readonly [ProblemKind, string | RegExp])[];
  /** `kept`: it is there after a repair as well. */
  readonly after: 'repaired' | 'removed' | 'kept';
}

export interface AuditRun {
  readonly problems: readonly StoreProblem[];
  readonly summary: FsckSummary;
}

const pool = new StatementPool({
  registry: new ContextRegistry(new ContextWorld(), []),
  threads: 1,
  maxDepth: 64,
  documentMs: 60_000,
  requestMs: 600_000,
});
afterAll(() => pool[Symbol.asyncDispose]());

export async function runFsck(
  fsck: StoreCheck,
  { repair = false, sample = sampleOf(1, '') } = {},
): Promise<AuditRun> {
  const contexts = new ContextKeeper(fsck.blobStore, new ContextWorld());
  const rechecker = new Rechecker({ identifier: pool, contexts });
  const run = fsckStore(fsck, rechecker, { repair, sample, onProgress: () => undefined });
  const problems: StoreProblem[] = [];
  for (let next = await run.next(); ; next = await run.next()) {
    if (next.done) return { problems, summary: next.value };
    problems.push(next.value);
  }
}

/** What every audit of a store does. */
export function storeFsckContract<Place extends FsckPlace>(
  newPlace: () => Promise<Place>,
  damages: readonly Damage<Place>[],
): void {
  describe('an audit', () => {
    let place: Place;
    let filled: Filled;
    let answered: Awaited<ReturnType<typeof answers>>;

    beforeAll(async () => {
      place = await newPlace();
      await using store = await place.open();
      filled = await fill(store);
      answered = await answers(store, filled);
    });
    afterAll(() => place[Symbol.asyncDispose]());

    async function run(options?: Parameters<typeof runFsck>[1]): Promise<AuditRun> {
      await using fsck = await place.fsck();
      return await runFsck(fsck, options);
    }

    test('finds nothing at a sound store, and says what it has looked at', async () => {
      const { problems, summary } = await run();
      expect(problems).toEqual([]);
      expect(summary).toEqual({
        blobs: expect.any(Number),
        statements: filled.statements.length + 1,
        unchecked: 0,
        graphs: 4,
        jobs: 3,
        users: 2,
        sessions: 1,
        auditRecords: 3,
        damaged: 0,
        leftovers: 0,
        repaired: 0,
      });
      expect(summary.blobs).toBeGreaterThan(6);
    });

    test('looks at the same share for the same seed, and at others for another', async () => {
      const looked = async (seed: string) => (await run({ sample: sampleOf(0.5, seed) })).summary;
      const one = await looked('one');
      expect(await looked('one')).toEqual(one);
      expect(one.statements).toBeGreaterThan(0);
      expect(one.statements).toBeLessThan(filled.statements.length);
      const seeds = await Promise.all(['2', '3', '4', '5'].map((seed) => sampled(seed)));
      expect(new Set(seeds).size).toBeGreaterThan(1);
    });

    /** Which statements a sample has, by their places. */
    async function sampled(seed: string): Promise<string> {
      const { isWanted } = sampleOf(0.5, seed);
      return filled.statements.map(({ jcsCid }) => (isWanted(jcsCid.digest) ? '1' : '0')).join('');
    }

    test.each(damages)('finds $name ($after)', async ({ do: damage, finds, after }) => {
      const undo = await damage(place, filled);
      const expected = finds(filled);
      const found = await run();
      expect(named(found.problems)).toEqual(matching(expected));
      const severity = after === 'removed' ? 'leftover' : 'damage';
      const repair = after === 'kept' ? 'none' : 'possible';
      expect(found.problems[0]).toMatchObject({ severity, repair });
      expect(found.summary[severity === 'damage' ? 'damaged' : 'leftovers']).toBe(found.problems.length);

      const repaired = await run({ repair: true });
      expect(repaired.problems[0]).toMatchObject({ severity, repair: after === 'kept' ? 'none' : 'done' });
      expect((await run()).problems).toEqual(after === 'kept' ? found.problems : []);
      if (typeof undo === 'function') await undo();
      expect((await run()).problems).toEqual([]);
      await using store = await place.open();
      expect(await answers(store, filled)).toEqual(answered);
    });
  });
}

function named(problems: readonly StoreProblem[]): string[] {
  return problems.map(({ kind, id }) => `${kind} ${id}`).toSorted();
}

function matching(expected: readonly (readonly [ProblemKind, string | RegExp])[]): unknown {
  const patterns = expected.map(([kind, id]) =>
    typeof id === 'string' ? `${kind} ${id}` : expect.stringMatching(new RegExp(`^${kind} .*${id.source}`)),
  );
  return patterns.length === 1 ? patterns : expect.toSatisfy((found: string[]) => isMatched(found, patterns));
}

/** Whether each pattern has a text of its own. */
function isMatched(found: readonly string[], patterns: readonly unknown[]): boolean {
  const left = [...found];
  for (const pattern of patterns) {
    const at = left.findIndex((text) =>
      typeof pattern === 'string'
        ? text === pattern
        : (pattern as { asymmetricMatch(text: string): boolean }).asymmetricMatch(text),
    );
    if (at === -1) return false;
    left.splice(at, 1);
  }
  return left.length === 0;
}
