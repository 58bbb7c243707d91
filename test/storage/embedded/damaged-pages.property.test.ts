import { randomBytes } from 'node:crypto';
import { cp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { everythingVisible } from '../../../src/domain/access/visibility.ts';
import { ServiceError } from '../../../src/domain/errors.ts';
import type { StatementPage, StatementScope } from '../../../src/domain/integrity/ports.ts';
import { openIntegrity } from '../../../src/integrity.ts';
import { readSettings } from '../../../src/platform/settings/settings.ts';
import { openEmbedded } from '../../../src/storage/open.ts';
import type { PlannedStore } from '../../../src/storage/store.ts';
import { newGraph } from '../../builders/graphs.ts';
import { row } from '../../builders/rows.ts';
import { answerOf } from '../../http/service.ts';
import { runs } from '../../property-runs.ts';
import { newFolder } from '../temporary-folder.ts';

const statements = 3_000;
const graph = newGraph();
let sound: string;
let damaged: string;
const serviceSettings = (folder: string) => readSettings({ CAIRN_DATA_DIR: folder, CAIRN_WORKERS: '1' });

beforeAll(async () => {
  sound = await newFolder();
  damaged = await newFolder();
  {
    await using store = await openEmbedded(sound);
    await store.graphs.add(graph);
    const rows = Array.from({ length: statements }, (_, at) =>
      row(JSON.stringify({ at, x: 'x'.repeat(300) })),
    );
    for (let at = 0; at < statements; at += 300)
      await store.statements.putMany(rows.slice(at, at + 300), graph.graphId);
  }
  // Brings it up to date, which reads all statements.
  await using _service = await openIntegrity(serviceSettings(sound), pino({ level: 'silent' }));
});
afterAll(async () => {
  await rm(sound, { recursive: true });
  await rm(damaged, { recursive: true });
});

const pageBytes = 8_192;
/** What is written over a page, and where. */
const damages = {
  zeros: [Buffer.alloc(pageBytes), 0],
  noise: [randomBytes(pageBytes), 0],
  'zeros at its end': [Buffer.alloc(500), pageBytes - 500],
  'noise in its middle': [randomBytes(1_000), 1_500],
  'an empty page of a table': [Buffer.from([0x0d, ...Array(7).fill(0)]), 0],
  'an empty page of an index': [Buffer.from([0x0a, ...Array(7).fill(0)]), 0],
} as const satisfies Record<string, readonly [Buffer, number]>;

/** Copies the sound store, and writes over some of its pages. @param places which pages, as shares of the file. */
async function damage(how: keyof typeof damages, places: readonly number[]): Promise<void> {
  await rm(damaged, { recursive: true });
  await cp(sound, damaged, { recursive: true });
  await using file = await open(join(damaged, 'cairn.db'), 'r+');
  const pages = (await file.stat()).size / pageBytes;
  const [bytes, offset] = damages[how];
  for (const place of places) {
    const page = 1 + Math.floor(place * (pages - 1));
    await file.write(bytes, 0, bytes.length, page * pageBytes + offset);
  }
}

async function searched({ statementIndex }: PlannedStore, graphId: string | null): Promise<number> {
  const filter = { kind: null, subject: null, registeredBy: null, from: null, until: null };
  const scope: StatementScope = { graphId, visibility: everythingVisible };
  let count = 0;
  for (let after: string | null | undefined = null; after !== undefined; ) {
    const page: StatementPage = await statementIndex.search(filter, { after, limit: 700 }, scope);
    count += page.statements.length;
    after = page.next;
  }
  return count;
}

async function exported({ graphContents }: PlannedStore): Promise<number> {
  const pages = await Array.fromAsync(graphContents.statements([graph.graphId], everythingVisible));
  return pages.flat().length;
}

describe('with damaged pages of the database', () => {
  const share = fc.noBias(fc.double({ min: 0, max: 0.999_999, noNaN: true }));
  const places = fc.array(share, { minLength: 1, maxLength: 3 });
  const names = Object.keys(damages) as (keyof typeof damages)[];

  test.each(names)(
    'an export, a search and a list have everything or fail with the place: %s',
    async (how) => {
      const isWholeOrFails = fc.asyncProperty(places, async (where) => {
        await damage(how, where);
        const opened = await openEmbedded(damaged).catch((error: unknown) => error);
        if (opened instanceof Error) {
          expect(opened).toBeInstanceOf(ServiceError);
          return;
        }
        await using store = opened as PlannedStore;
        for (const read of [
          () => exported(store),
          () => searched(store, graph.graphId),
          () => searched(store, null),
        ]) {
          const result = await read().catch((error: unknown) => error);
          if (result === statements) continue;
          expect(result).toMatchObject({
            code: 'damaged',
            message: expect.stringMatching(/^The database is/),
          });
        }
      });
      await fc.assert(isWholeOrFails, { numRuns: runs(8) });
    },
  );

  test('the service answers 500 with the place, and logs it', async () => {
    await damage('zeros', []);
    const database = new DatabaseSync(join(damaged, 'cairn.db'));
    database.exec('DELETE FROM verified_rows WHERE seq BETWEEN 1200 AND 1220');
    database.close();
    const logged: string[] = [];
    const log = pino({ level: 'error' }, { write: (line: string) => void logged.push(line) });
    await using integrity = await openIntegrity(serviceSettings(damaged), log);
    for (const path of [
      `/manifest/v1?graph_ids=${graph.graphId}`,
      `/statements/v1?limit=1000&graph_id=${graph.graphId}`,
      '/statements/v1?limit=1000',
    ]) {
      let answer = await answerOf(await integrity.app.request(path));
      while (answer.status === 200 && answer.json.next_cursor)
        answer = await answerOf(await integrity.app.request(`${path}&cursor=${answer.json.next_cursor}`));
      expect([path, answer.status, answer.json.code]).toEqual([path, 500, 'damaged']);
      expect(answer.json.error).toMatch(/^The database is damaged/);
      expect(logged.splice(0).join()).toContain('The database is damaged');
    }
  });
});
