import { createHash } from 'node:crypto';
import { join } from 'node:path';
import pMap from 'p-map';
import { batchSize, ingest } from './batch-ingestion.ts';
import { cpuSeconds, median, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Import of evidence over HTTP, from request to durable acknowledgement: unsigned SLSA provenance as JSON lines. Beside it, in a
// new store, ordinary batches of as many statements as follow from the files.

const lines = Number(process.env.LINES ?? 10_000);
const perRequest = 500;
const inFlight = 3;
const warmUp = 4_000;
const runs = Number(process.env.RUNS ?? 3);

const hex = (text: string) => createHash('sha256').update(text).digest('hex');

/** Each build has a subject, a commit and a base image of its own. */
function provenance(at: string): string {
  return JSON.stringify({
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: `app-${at}.tar.gz`, digest: { sha256: hex(`subject ${at}`) } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: 'https://actions.github.io/buildtypes/workflow/v1',
        externalParameters: {
          workflow: {
            repository: 'https://github.com/o/app',
            path: '.github/workflows/release.yml',
            ref: `refs/tags/v${at}`,
          },
        },
        resolvedDependencies: [
          {
            uri: `git+https://github.com/o/app@refs/tags/v${at}`,
            digest: { gitCommit: hex(`commit ${at}`).slice(0, 40) },
          },
        ],
      },
      runDetails: {
        builder: { id: 'https://github.com/actions/runner/github-hosted' },
        metadata: {
          invocationId: `https://github.com/o/app/actions/runs/${at}`,
          startedOn: '2026-01-31T12:00:00Z',
          finishedOn: '2026-01-31T12:01:30Z',
        },
      },
    },
  });
}

/** @returns files per second, and statements that follow from a file. */
async function send(url: string, run: number, from: number, count: number) {
  const batches = Array.from({ length: Math.ceil(count / perRequest) }, (_, batch) =>
    Array.from({ length: perRequest }, (_, at) =>
      provenance(`${run}.${from + batch * perRequest + at}`),
    ).join('\n'),
  );
  let statements = 0;
  const startedAt = performance.now();
  await pMap(
    batches,
    async (body) => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await fetch(`${url}/evidence/v1`, { method: 'POST', headers, body });
      if (response.status !== 201) throw new Error(await response.text());
      const { results } = (await response.json()) as { results: { statements: string[] }[] };
      for (const { statements: ids } of results) statements += ids.length;
    },
    { concurrency: inFlight },
  );
  return { rate: (count / (performance.now() - startedAt)) * 1_000, each: statements / count };
}

const rates: number[] = [];
const ordinary: number[] = [];
const ratios: number[] = [];
const cpu: number[] = [];
for (let run = 0; run < runs; run += 1)
  await withFolder(async (folder) => {
    let each: number;
    {
      await using service = await startService(join(folder, 'evidence'));
      await send(service.url, run, 0, warmUp);
      const before = cpuSeconds(service.pid);
      const sent = await send(service.url, run, warmUp, lines);
      rates.push(sent.rate);
      each = sent.each;
      cpu.push(((cpuSeconds(service.pid) - before) / lines) * 1_000);
    }
    await using service = await startService(join(folder, 'batches'));
    const batches = Math.ceil((lines * each) / batchSize);
    const perSecond = await ingest([service.url], run, batches);
    ordinary.push(perSecond / each);
    ratios.push(((rates.at(-1) ?? 0) * each) / perSecond);
  });
report(`Import of ${lines} files of evidence`, [
  { what: 'batches of as many statements', 'files/s': median(ordinary), ratio: 1 },
  {
    what: 'SLSA provenance, JSON lines',
    'files/s': median(rates),
    ratio: median(ratios),
    'CPU ms/file': median(cpu),
  },
]);
