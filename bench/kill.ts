import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { exampleStatement } from './example-statements.ts';
import { LogChecker } from './log-checker.ts';
import { blobPath, RepeatingClient, statementPaths } from './repeating-client.ts';
import { type ServiceProcess, startService, withFolder } from './service-process.ts';

// Kills the service repeatedly during ingestion, and looks for everything that it acknowledged: in the store, and once in the log
// of its graph. A reader beside it notes every checkpoint, and all of them must be of one history.

const rounds = Number(process.env.ROUNDS ?? 50);
/** How long the service runs between two kills at most. */
const longestMs = Number(process.env.LONGEST_MS ?? 1_000);
const batchSize = 200;
const graphId = randomUUID();

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
      const body = JSON.stringify({ statements, generate_id: true, graph_id: graphId });
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
  const publicUrl = { CAIRN_PUBLIC_URL: 'http://log.example' };
  let service: ServiceProcess | undefined = await startService(dataDir, publicUrl);
  await put(
    service.url,
    '/graph/v1',
    JSON.stringify({ graph_id: graphId, name: 'load' }),
    'application/json',
  );
  const checker = new LogChecker(() => service?.url);
  const checking = checker.run();
  const statements: string[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    const acknowledged: string[] = [];
    const running: ServiceProcess = service;
    const sending = ingest(running.url, round, acknowledged);
    await new Promise((resolve) => setTimeout(resolve, 200 + Math.random() * longestMs));
    service = undefined;
    await running.kill();
    await sending;
    service = await startService(dataDir, publicUrl);
    const { url } = service;
    statements.push(...acknowledged.filter((path) => path.startsWith('/statements/')));
    missing.push(...(await new RepeatingClient(() => url).problems(acknowledged)));
    total += acknowledged.length;
    console.log(
      `round ${round}: ${acknowledged.length} acknowledged, ${missing.length} lost, ${checker.count} checkpoints`,
    );
  }
  missing.push(...(await checker.missing(graphId, statements)));
  checker.stop();
  await checking;
  missing.push(...(await checker.problems()));
  await service.kill();
  for (const problem of missing) console.log(problem);
  console.log(
    `${rounds} kills, ${total} acknowledged, ${checker.count} checkpoints read, ${missing.length} lost or of another history.`,
  );
  return missing.length;
});
process.exitCode = failures === 0 ? 0 : 1;
