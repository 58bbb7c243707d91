import { join } from 'node:path';
import { exampleStatement } from './example-statements.ts';
import { blobPath, RepeatingClient, statementPaths } from './repeating-client.ts';
import { startService, withFolder } from './service-process.ts';

// Kills the service repeatedly during ingestion, and looks for everything that it acknowledged.

const rounds = Number(process.env.ROUNDS ?? 50);
const batchSize = 200;

async function put(url: string, path: string, body: string, type: string): Promise<string> {
  const response = await fetch(`${url}${path}`, { method: 'PUT', body, headers: { 'content-type': type } });
  if (!response.ok) throw new Error(await response.text());
  return await response.text();
}

/** Sends until the connection breaks. Notes the path of everything that was answered before. */
async function ingest(url: string, round: number, acknowledged: string[]): Promise<void> {
  try {
    for (let batch = 0; ; batch += 1) {
      const first = (round * 1_000 + batch) * batchSize;
      const statements = Array.from({ length: batchSize }, (_, at) => exampleStatement(first + at));
      const body = JSON.stringify({ statements, generate_id: true });
      const text = `${round} ${batch} `.repeat(5_000);
      await Promise.all([
        put(url, '/statements/v1/batch', body, 'application/json').then((stored) =>
          acknowledged.push(...statementPaths(stored)),
        ),
        put(url, '/store/v1/blob', text, 'application/octet-stream').then(() =>
          acknowledged.push(blobPath(text)),
        ),
      ]);
    }
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
  }
}

const failures = await withFolder(async (folder) => {
  const dataDir = join(folder, 'data');
  const missing: string[] = [];
  let total = 0;
  let service = await startService(dataDir);
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged: string[] = [];
    const sending = ingest(service.url, round, acknowledged);
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * 1_000));
    await service.kill();
    await sending;
    service = await startService(dataDir);
    const { url } = service;
    missing.push(...(await new RepeatingClient(() => url).problems(acknowledged)));
    total += acknowledged.length;
    console.log(`round ${round}: ${acknowledged.length} acknowledged, ${missing.length} lost`);
  }
  await service.kill();
  for (const problem of missing) console.log(problem);
  console.log(`${rounds} kills, ${total} acknowledged, ${missing.length} lost.`);
  return missing.length;
});
process.exitCode = failures === 0 ? 0 : 1;
