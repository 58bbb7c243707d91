import { join } from 'node:path';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { exampleStatement } from './example-statements.ts';
import { startService, withFolder } from './service-process.ts';

// Kills the service repeatedly during ingestion, and looks for everything that it acknowledged.

const rounds = Number(process.env.ROUNDS ?? 50);
const batchSize = 200;

interface Acknowledged {
  readonly statements: string[];
  readonly blobs: { cid: string; text: string }[];
}

async function put(url: string, path: string, body: string, type: string): Promise<unknown> {
  const response = await fetch(`${url}${path}`, { method: 'PUT', body, headers: { 'content-type': type } });
  if (!response.ok) throw new Error(await response.text());
  return await response.json();
}

/** Sends until the connection breaks. Everything answered before is acknowledged. */
async function ingest(url: string, round: number, acknowledged: Acknowledged): Promise<void> {
  try {
    for (let batch = 0; ; batch += 1) {
      const first = (round * 1_000 + batch) * batchSize;
      const statements = Array.from({ length: batchSize }, (_, at) => exampleStatement(first + at));
      const body = JSON.stringify({ statements, generate_id: true });
      const text = `${round} ${batch} `.repeat(5_000);
      await Promise.all([
        put(url, '/statements/v1/batch', body, 'application/json').then((stored) => {
          acknowledged.statements.push(
            ...(stored as { results: { statement_id: string }[] }).results.map((one) => one.statement_id),
          );
        }),
        put(url, '/store/v1/blob', text, 'application/octet-stream').then(() => {
          acknowledged.blobs.push({ cid: cidOf(codecs.raw, text).text, text });
        }),
      ]);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

async function lost(url: string, { statements, blobs }: Acknowledged): Promise<string[]> {
  const missing: string[] = [];
  for (const id of statements) {
    const response = await fetch(`${url}/statements/v1/id/${id}`);
    const found = response.ok && ((await response.json()) as { '@id': string })['@id'] === id;
    if (!found) missing.push(id);
  }
  for (const { cid, text } of blobs) {
    const response = await fetch(`${url}/store/v1/blob/${cid}`);
    if ((await response.text()) !== text) missing.push(cid);
  }
  return missing;
}

const failures = await withFolder(async (folder) => {
  const dataDir = join(folder, 'data');
  const missing: string[] = [];
  let total = 0;
  let service = await startService(dataDir);
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged: Acknowledged = { statements: [], blobs: [] };
    const sending = ingest(service.url, round, acknowledged);
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1_000));
    await service.kill();
    await sending;
    service = await startService(dataDir);
    missing.push(...(await lost(service.url, acknowledged)));
    total += acknowledged.statements.length + acknowledged.blobs.length;
    console.log(
      `round ${round}: ${acknowledged.statements.length} statements and ${acknowledged.blobs.length} blobs acknowledged, ${missing.length} lost`,
    );
  }
  await service.kill();
  console.log(`${rounds} kills, ${total} acknowledged, ${missing.length} lost.`);
  return missing.length;
});
process.exitCode = failures === 0 ? 0 : 1;
