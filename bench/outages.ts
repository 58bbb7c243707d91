import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AcknowledgedLoad, fsckProblems, tell } from './acknowledged-load.ts';
import { exampleStatement } from './example-statements.ts';
import { median, report } from './measure.ts';
import { withServers } from './mongo-service.ts';
import { startService } from './service-process.ts';
import { type Outage, outages, TcpProxy } from './tcp-proxy.ts';

// Two processes under load lose MongoDB for a while, in every way, again and again. Each has to answer every request
// within its deadline, and to store again soon after MongoDB is back. ROUNDS=50 is the full run; SECONDS is the length of an
// outage.

const rounds = Number(process.env.ROUNDS ?? 10);
const seconds = Number(process.env.SECONDS ?? 20);
const replicas = 2;
/** Requests are answered within 30 s. The rest is for a busy machine. */
const deadlineMs = 35_000;
const recoveryMs = 60_000;

/** PUTs that are never repeated, and wait for their answer as long as it takes. */
class Probes {
  readonly #urls: readonly string[];
  /** When the unanswered ones were sent. */
  readonly #sent = new Map<number, number>();
  slowestMs = 0;
  #count = 0;

  constructor(urls: readonly string[]) {
    this.#urls = urls;
  }

  /** @returns the status; 0 if the connection was lost. */
  async put(url: string): Promise<number> {
    const startedAt = performance.now();
    this.#count += 1;
    const probe = this.#count;
    this.#sent.set(probe, startedAt);
    const body = JSON.stringify({
      statement: exampleStatement(probe, 'probe: '),
      generate_id: true,
    });
    const headers = { 'content-type': 'application/json' };
    try {
      const answer = await fetch(`${url}/statements/v1`, { method: 'PUT', body, headers });
      await answer.text();
      return answer.status;
    } catch {
      return 0;
    } finally {
      this.#sent.delete(probe);
      this.slowestMs = Math.max(this.slowestMs, performance.now() - startedAt);
    }
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      for (const url of this.#urls) void this.put(url);
      await delay(200);
    }
  }

  /** @returns how long the oldest request has waited for its answer. */
  oldestMs(): number {
    return performance.now() - Math.min(performance.now(), ...this.#sent.values());
  }
}

/** @returns how long the slowest process took to store a statement again. */
async function recovery(urls: readonly string[], probes: Probes): Promise<number> {
  const startedAt = performance.now();
  const stored = async (url: string) => {
    while (performance.now() - startedAt < recoveryMs) {
      const answered = await Promise.race([probes.put(url), delay(5_000, 0)]);
      if (answered >= 200 && answered < 300) return;
      await delay(200);
    }
  };
  await Promise.all(urls.map(stored));
  return performance.now() - startedAt;
}

const count = await withServers(async (servers) => {
  const { CAIRN_MONGODB_URL: url = '' } = servers.environment;
  await using proxy = await TcpProxy.before(url);
  const environment = { ...servers.environment, CAIRN_MONGODB_URL: proxy.url(url) };
  await using processes = new AsyncDisposableStack();
  const urls: string[] = [];
  for (let at = 0; at < replicas; at += 1)
    urls.push(processes.use(await startService(join(servers.folder, `data ${at}`), environment)).url);
  let turn = 0;
  const load = new AcknowledgedLoad(() => urls[turn++ % urls.length]);
  const probes = new Probes(urls);
  const end = new AbortController();
  const found: string[] = [];
  const recoveries = new Map<Outage, number[]>(outages.map((outage) => [outage, []]));
  const suffer = async () => {
    for (let round = 0; round < rounds; round += 1) {
      await delay(3_000);
      const outage = outages[round % outages.length] ?? 'refuse';
      proxy.fail(outage);
      await delay(seconds * 1_000);
      await proxy.restore();
      const ms = await recovery(urls, probes);
      recoveries.get(outage)?.push(ms);
      if (ms >= recoveryMs) found.push(`A process does not store again after round ${round + 1}, ${outage}.`);
      console.error(`round ${round + 1}, ${outage}: stores again after ${Math.round(ms)} ms; ${load}`);
    }
    load.stop();
    end.abort();
  };
  await Promise.all([load.run(), probes.run(end.signal), suffer()]);
  while (probes.oldestMs() > 0 && probes.oldestMs() < deadlineMs) await delay(100);
  if (Math.max(probes.slowestMs, probes.oldestMs()) > deadlineMs)
    found.push(
      `A request waited ${Math.round(Math.max(probes.slowestMs, probes.oldestMs()))} ms for its answer.`,
    );
  found.push(...(await load.problems(servers)));
  await processes.disposeAsync();
  found.push(...fsckProblems(servers));
  report(
    `${rounds} outages of ${seconds} s`,
    [...recoveries]
      .filter(([, all]) => all.length > 0)
      .map(([what, all]) => ({
        what,
        'stores again after, median s': median(all) / 1_000,
        'at most, s': Math.max(...all) / 1_000,
      })),
  );
  console.log(`The slowest answer took ${Math.round(probes.slowestMs)} ms.`);
  return tell(found, `${rounds} outages of ${seconds} s; ${load}`);
});
process.exitCode = count === 0 ? 0 : 1;
