import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { exampleStatement } from './example-statements.ts';
import type { Servers } from './mongo-service.ts';
import { RepeatingClient } from './repeating-client.ts';

const batchSize = 50;
/** A small graph that does not grow, so that many exports of it finish during the run. */
const exportedSize = 200;
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Ingestion, uploads and exports on several processes, and everything that they acknowledged. */
export class AcknowledgedLoad {
  readonly #client: RepeatingClient;
  readonly graphId = randomUUID();
  readonly #exportedGraphId = randomUUID();
  /** The paths of statements of that graph. */
  readonly statements = new Set<string>();
  readonly #others = new Set<string>();
  readonly #blobs = new Set<string>();
  readonly #exports: string[] = [];
  readonly #end = new AbortController();

  /** @param urlOf the address for the next attempt of a request; undefined if there is none now. */
  constructor(urlOf: () => string | undefined) {
    this.#client = new RepeatingClient(urlOf);
  }

  /** Runs until `stop` is called. */
  async run(): Promise<void> {
    await this.#client.putJson('/graph/v1', { graph_id: this.graphId, name: 'load' });
    await this.#client.putJson('/graph/v1', { graph_id: this.#exportedGraphId, name: 'exported' });
    await this.#putBatch(this.#exportedGraphId, examples(exportedSize, 0, 'exported: '));
    await Promise.all([this.#ingest(1), this.#ingest(2), this.#upload(), this.#export()]);
  }

  stop(): void {
    this.#end.abort();
  }

  toString(): string {
    return `${this.statements.size} statements, ${this.#blobs.size} blobs, ${this.#exports.length} exports acknowledged`;
  }

  /** How often a request was sent again, by what happened to it. */
  get retries(): ReadonlyMap<string, number> {
    return this.#client.retries;
  }

  /** Looks for everything that was acknowledged. */
  async problems({ db }: Servers): Promise<string[]> {
    const found = await this.#client.problems([...this.statements, ...this.#others, ...this.#blobs]);
    for (const path of this.#exports) found.push(...(await this.#exportProblems(path)));
    // Each lost answer may have stored one more than was acknowledged.
    const done = await db.collection('jobs').countDocuments({ state: 'done' });
    const results = await db
      .collection('exports.files')
      .countDocuments({ filename: { $not: /^uploading:/ } });
    if (results !== done) found.push(`${done} exports have ${results} results.`);
    return found;
  }

  get #isOver(): boolean {
    return this.#end.signal.aborted;
  }

  async #ingest(sender: number): Promise<void> {
    for (let batch = 0; !this.#isOver; batch += 1)
      await this.#putBatch(this.graphId, examples(batchSize, batch * batchSize, `sender ${sender}: `));
  }

  async #putBatch(graph: string, made: ReturnType<typeof examples>): Promise<void> {
    const paths = await this.#client.putStatements(made, graph);
    for (const path of paths) (graph === this.graphId ? this.statements : this.#others).add(path);
  }

  async #upload(): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      this.#blobs.add(await this.#client.putBlob(`${at} `.repeat(100_000)));
      await delay(100);
    }
  }

  async #export(): Promise<void> {
    while (!this.#isOver) {
      const path = `/manifest/v1?graph_ids=${this.#exportedGraphId}`;
      const { headers } = await this.#client.send(path, { headers: { prefer: 'respond-async' } });
      this.#exports.push(String(headers.get('location')));
      await delay(500);
    }
  }

  async #exportProblems(path: string): Promise<string[]> {
    const until = performance.now() + 180_000;
    for (;;) {
      const { state, error } = JSON.parse((await this.#client.send(path)).text);
      if (state === 'done') return [];
      if (state === 'failed' || performance.now() > until)
        return [`The export ${path} is ${state}: ${JSON.stringify(error)}`];
      await delay(100);
    }
  }
}

function examples(count: number, first: number, prefix: string) {
  return Array.from({ length: count }, (_, at) => exampleStatement(first + at, prefix));
}

/** The problems that fsck finds afterwards. */
export function fsckProblems({ folder, environment }: Servers): string[] {
  const env = { ...process.env, ...environment, CAIRN_DATA_DIR: join(folder, 'fsck') };
  const { status, stdout } = spawnSync(process.execPath, [main, 'fsck'], { env, encoding: 'utf8' });
  process.stdout.write(stdout);
  return status === 0 ? [] : [`fsck ends with ${status}.`];
}

/** Prints what was found. @returns the number of problems. */
export function tell(found: readonly string[], summary: string): number {
  for (const problem of found.slice(0, 20)) console.log(problem);
  console.log(`${summary}; ${found.length} faults.`);
  return found.length;
}
