import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { everythingVisible } from '../src/domain/access/visibility.ts';
import { reachEverything } from '../src/domain/integrity/access/content-reach.ts';
import { traceLineage } from '../src/domain/integrity/lineage/lineage.ts';
import type { StatementFilter, StatementRow } from '../src/domain/integrity/ports.ts';
import { findIdentifier } from '../src/domain/integrity/statements/find.ts';
import type { Store } from '../src/storage/open.ts';
import { openBenchStore } from './lineage/bench-store.ts';
import { PlainSql } from './lineage/plain-sql.ts';
import { artefact, depth, hub, output, perPipeline, statementRow } from './lineage/rows.ts';
import { quantile, type Row, report } from './measure.ts';
import { withFolder } from './service-process.ts';

// Lineage, find and search over many statements in the embedded store, or in MongoDB with STORE=mongodb, compared with a
// plain recursive SQL query over the references of the same statements.

const count = Number(process.env.STATEMENTS ?? 200_000);
const batch = 1_000;
const runs = 300;
const scope = { graphId: null, visibility: everythingVisible };
const project = '6f8a2f0e-3a53-4b7e-9d43-000000000001';

function* batches(): Generator<StatementRow[]> {
  for (let first = 0; first < count; first += batch)
    yield Array.from({ length: Math.min(batch, count - first) }, (_, at) => statementRow(first + at));
}

/** Statements per second for each tenth. */
async function ingest(store: Store): Promise<number[]> {
  const rates: number[] = [];
  let [stored, took] = [0, 0];
  for (const rows of batches()) {
    const startedAt = performance.now();
    await store.statements.putMany(rows, project);
    took += performance.now() - startedAt;
    stored += rows.length;
    if (stored % (count / 10) > 0) continue;
    rates.push((count / 10 / took) * 1_000);
    took = 0;
  }
  return rates;
}

/** Durations of single calls, after some that warm up. `held`: how long they blocked the event loop. */
async function timed(
  what: string,
  call: (run: number) => Promise<number> | number,
  calls = runs,
): Promise<Row> {
  for (let run = 0; run < calls / 10; run += 1) await call(run);
  const held = monitorEventLoopDelay({ resolution: 1 });
  const times: number[] = [];
  let found = 0;
  held.enable();
  for (let run = 0; run < calls; run += 1) {
    const startedAt = performance.now();
    found = Math.max(found, await call(run));
    times.push(performance.now() - startedAt);
    await new Promise(setImmediate);
  }
  held.disable();
  return {
    what,
    'p50 ms': quantile(times, 0.5),
    'p99 ms': quantile(times, 0.99),
    'loop held, p99 ms': held.percentile(99) / 1e6,
    found,
  };
}

const pipelines = Math.max(Math.floor((count * 0.9) / perPipeline) - 1, 1);
const pipelineOf = (run: number) => (run * 7_919) % pipelines;
const last = (run: number) => output(pipelineOf(run), depth - 1, run % 5, 0);

await withFolder(async (folder) => {
  await using store = await openBenchStore(folder);
  using plain = new PlainSql(join(folder, 'plain.db'));
  await store.graphs.add({ graphId: project, name: 'bench', parentId: null, projectId: project });
  const rates = await ingest(store);
  for (const rows of batches()) plain.add(rows);

  const lineage = async (start: string, direction: 'upstream' | 'downstream', of = scope) => {
    const query = { start, flows: [direction], depth, limit: 500, kinds: null };
    return (await traceLineage({ ...store, reach: reachEverything }, query, of)).nodes.length;
  };
  const find = async (identifier: string) =>
    (
      await findIdentifier(
        { ...store, reach: reachEverything },
        identifier,
        { after: null, limit: 100 },
        scope,
      )
    ).statements.length;
  const search = async (filter: Partial<StatementFilter>, of = scope) => {
    const all = { kind: null, subject: null, registeredBy: null, from: null, until: null, ...filter };
    return (await store.statementIndex.search(all, { after: null, limit: 100 }, of)).statements.length;
  };
  const own = { graphId: null, visibility: { projects: new Set([project]) } };
  const time = (run: number) => Date.UTC(2026, 0, 1) + Math.floor((run / runs) * count) * 1_000;

  report(`Questions across ${count.toLocaleString('en')} statements`, [
    await timed('plain SQL: upstream artefacts, depth 10', (run) => plain.upstream(last(run), depth, 500)),
    await timed('lineage upstream, depth 10, 500 nodes', (run) => lineage(last(run), 'upstream')),
    await timed('… for a reader of one project', (run) => lineage(last(run), 'upstream', own)),
    await timed('plain SQL: downstream of the hub', () => plain.downstream(hub, depth, 500), runs / 10),
    await timed('lineage downstream of the hub, 500 nodes', () => lineage(hub, 'downstream')),
    await timed('find an artefact', (run) => find(last(run))),
    await timed('find the hub, 100 statements', () => find(hub)),
    await timed('search by type and actor', (run) =>
      search({ kind: 'MetadataRegistration', registeredBy: `did:web:actor-${run % 20}.example` }),
    ),
    await timed('search by subject', (run) => search({ subject: output(pipelineOf(run), 3, 0, 0) })),
    await timed('search by a span of time', (run) => search({ from: time(run), until: time(run) + 60_000 })),
    await timed('search the newest of one project', () => search({}, own)),
    await timed('find what nobody speaks of', async (run) => {
      await find(artefact(`nothing ${run}`)).catch(() => undefined);
      return 0;
    }),
  ]);
  report('Ingestion while the store grows', [
    { what: 'first tenth', 'statements/s': rates[0] ?? 0, ratio: 1 },
    { what: 'last tenth', 'statements/s': rates.at(-1) ?? 0, ratio: (rates.at(-1) ?? 0) / (rates[0] ?? 1) },
  ]);
});
