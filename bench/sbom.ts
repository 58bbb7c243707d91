import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { batchSize, ingest } from './batch-ingestion.ts';
import { quantile, type Row, report } from './measure.ts';
import { startService, withFolder } from './service-process.ts';

// Import of one large CycloneDX file over HTTP, from request to durable acknowledgement, and how long others wait meanwhile.

const count = Number(process.env.COMPONENTS ?? 20_000);
const askedEveryMs = 20;

const hex = (text: string) => createHash('sha256').update(text).digest('hex');

/** Half of the components have a digest. Each depends on two others. */
function componentOf(at: number) {
  return {
    type: 'library',
    'bom-ref': `pkg:npm/package-${at}@1.0.${at}`,
    group: '@acme',
    name: `package-${at}`,
    version: `1.0.${at}`,
    description: 'A package that does one thing well',
    purl: `pkg:npm/package-${at}@1.0.${at}`,
    ...(at % 2 === 0 && { hashes: [{ alg: 'SHA-256', content: hex(`package ${at}`) }] }),
    licenses: [{ license: { id: 'Apache-2.0' } }],
    externalReferences: [{ type: 'vcs', url: `https://github.com/acme/package-${at}` }],
  };
}

function bom(): string {
  const components = Array.from({ length: count }, (_, at) => componentOf(at));
  const refs = components.map((one) => one['bom-ref']);
  const dependencies = refs.map((ref, at) => ({
    ref,
    dependsOn: [...new Set([refs[(at * 7 + 1) % count], refs[(at * 13 + 5) % count]])],
  }));
  const metadata = { component: { type: 'application', name: 'shop', version: '1', 'bom-ref': 'shop' } };
  return JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata,
    components,
    dependencies,
  });
}

function inXml(): string {
  const components = Array.from({ length: count }, (_, at) => {
    const one = componentOf(at);
    const hashes = one.hashes ? `<hashes><hash alg="SHA-256">${one.hashes[0]?.content}</hash></hashes>` : '';
    return `<component type="library" bom-ref="${one['bom-ref']}"><group>@acme</group><name>xml-${at}</name><version>1</version>${hashes}<purl>${one.purl}</purl></component>`;
  });
  return `<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1"><components>${components.join('')}</components></bom>`;
}

/** @returns the seconds that it took, and how many statements follow from the file. */
async function importOf(url: string, file: string) {
  const startedAt = performance.now();
  const response = await fetch(`${url}/evidence/v1`, { method: 'POST', body: file });
  if (!response.ok) throw new Error(await response.text());
  const { statements } = (await response.json()) as { statements: string[] };
  return { seconds: (performance.now() - startedAt) / 1_000, statements: statements.length };
}

/** Asks for the state of the service until somebody aborts. @returns the times in ms. */
async function othersWait(url: string, { signal }: AbortController): Promise<number[]> {
  const times: number[] = [];
  while (!signal.aborted) {
    const startedAt = performance.now();
    await (await fetch(`${url}/health/v1`)).body?.cancel();
    times.push(performance.now() - startedAt);
    await setTimeout(askedEveryMs);
  }
  return times;
}

/** The CPU time that a process has used, in seconds. */
function cpuOf(pid: number): number {
  const [user, system] =
    readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11, 13) ?? [];
  return (Number(user) + Number(system)) / 100;
}

const rows: Row[] = [];
let largest = 0;
await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  for (const [what, file] of [
    ['JSON', bom()],
    ['JSON, again', bom()],
    ['XML', inXml()],
  ] as const) {
    const end = new AbortController();
    const waiting = othersWait(service.url, end);
    const before = cpuOf(service.pid);
    const { seconds, statements } = await importOf(service.url, file);
    largest = Math.max(largest, statements);
    end.abort();
    const others = await waiting;
    rows.push({
      what,
      MiB: file.length / 2 ** 20,
      s: seconds,
      'CPU s': cpuOf(service.pid) - before,
      'others wait, p99 ms': quantile(others, 0.99),
      'at most, ms': Math.max(...others),
    });
  }
});
await withFolder(async (folder) => {
  await using service = await startService(join(folder, 'data'));
  const batches = Math.ceil(largest / batchSize);
  const perSecond = await ingest([service.url], 0, batches);
  rows.push({ what: 'batches of as many statements', s: (batches * batchSize) / perSecond });
});
report(`Import of a CycloneDX file of ${count} components`, rows);
