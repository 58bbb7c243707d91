import { join } from 'node:path';
import { openClient } from '../src/cli/client/api-client.ts';
import { exitCodeOf, explanationOf } from '../src/cli/terminal/failure.ts';
import { stopped } from '../src/cli/terminal/io.ts';
import { processIo } from '../src/cli/terminal/process-io.ts';
import { openIntegrity } from '../src/integrity.ts';
import { listen } from '../src/platform/http/server.ts';
import { openLog } from '../src/platform/log.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { addresses } from './demo/addresses.ts';
import { readDocuments, readSources } from './demo/sources.ts';
import { DemoStatements } from './demo/statements.ts';
import { type StoredDemo, storeDemo } from './demo/store-demo.ts';

const defaults = {
  CAIRN_DATA_DIR: join(import.meta.dirname, '..', 'data', 'demo'),
  CAIRN_LOG_LEVEL: 'warn',
};
const graceMs = 5_000;

/** Starts a service on a folder of its own, fills it with the lineage of this repository, and serves it. */
async function demo(): Promise<void> {
  const startedAt = performance.now();
  const io = processIo();
  const settings = readSettings({ ...defaults, ...io.env });
  await using integrity = await openIntegrity(settings, openLog(settings.logLevel, io.stderr));
  const server = await listen({ fetch: integrity.app.fetch, host: settings.host, port: settings.port });
  const stop = stopped(io);
  const filled = fill(server.url).then((text) => {
    const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
    process.stdout.write(
      `${text}\nReady after ${seconds} s. Ctrl-C stops; the data stays in ${settings.dataDir}.\n`,
    );
  });
  try {
    await Promise.race([filled.then(() => stop), stop]);
  } finally {
    await server.stop(graceMs);
  }
}

async function fill(url: string): Promise<string> {
  const sources = readSources();
  const made = new DemoStatements().make(sources, readDocuments());
  const stored = await storeDemo(openClient({ url, bearer: () => null }), made, (line) =>
    process.stderr.write(`${line}\n`),
  );
  return `${summary(stored)}\n\n${addresses(url, made, stored, sources)}`;
}

function summary({ statements, stored }: StoredDemo): string {
  const news =
    stored === 0 ? 'nothing new: all of them were there' : `${stored} in requests that brought something new`;
  return `${statements} statements, ${news}.`;
}

try {
  await demo();
} catch (error) {
  process.stderr.write(explanationOf(error));
  process.exitCode = exitCodeOf(error);
}
