import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pMap from 'p-map';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { exampleStatement } from './example-statements.ts';
import type { Servers } from './mongo-service.ts';

const batchSize = 50;
const lookedForAtOnce = 16;
/** A small graph that does not grow, so that many exports of it finish during the run. */
const exportedSize = 200;
const retryMs = 20;
const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** Ingestion, uploads and exports on several processes, and everything that they acknowledged. */
export class AcknowledgedLoad {
  readonly #urlOf: () => string | undefined;
  readonly #graphId = randomUUID();
  readonly #exportedGraphId = randomUUID();
  readonly #statements = new Set<string>();
  readonly #blobs = new Set<string>();
  readonly #exports: string[] = [];
  readonly #end = new AbortController();
  /** How often a request was sent again, by what happened to it: a status, or a lost connection. */
  readonly retries = new Map<string, number>();

  /** @param urlOf the address for the next attempt of a request; undefined if there is none now. */
  constructor(urlOf: () => string | undefined) {
    this.#urlOf = urlOf;
  }

  /** Runs until `stop` is called. */
  async run(): Promise<void> {
    await this.#putJson('/graph/v1', { graph_id: this.#graphId, name: 'load' });
    await this.#putJson('/graph/v1', { graph_id: this.#exportedGraphId, name: 'exported' });
    await this.#putBatch(this.#exportedGraphId, examples(exportedSize, 0, 'exported: '));
    await Promise.all([this.#ingest(1), this.#ingest(2), this.#upload(), this.#export()]);
  }

  stop(): void {
    this.#end.abort();
  }

  toString(): string {
    return `${this.#statements.size} statements, ${this.#blobs.size} blobs, ${this.#exports.length} exports acknowledged`;
  }

  /** Looks for everything that was acknowledged. */
  async problems(url: string, { db }: Servers): Promise<string[]> {
    const found: string[] = [];
    const lookForStatement = async (id: string) => {
      const response = await fetch(`${url}/statements/v1/id/${id}`);
      const isThere = response.ok && ((await response.json()) as { '@id': string })['@id'] === id;
      if (!isThere) found.push(`The statement ${id} is lost.`);
    };
    await pMap(this.#statements, lookForStatement, { concurrency: lookedForAtOnce });
    const lookForBlob = async (cid: string) => {
      const response = await fetch(`${url}/store/v1/blob/${cid}`);
      if (cidOf(codecs.raw, await response.text()).text !== cid) found.push(`The blob ${cid} is lost.`);
    };
    await pMap(this.#blobs, lookForBlob, { concurrency: lookedForAtOnce });
    for (const path of this.#exports) found.push(...(await exportProblems(url, path)));
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
      await this.#putBatch(this.#graphId, examples(batchSize, batch * batchSize, `sender ${sender}: `));
  }

  async #putBatch(graph: string, made: readonly ReturnType<typeof exampleStatement>[]): Promise<void> {
    const body = { statements: made, generate_id: true, graph_id: graph };
    const response = await this.#putJson('/statements/v1/batch', body);
    const { results } = (await response.json()) as { results: { statement_id: string }[] };
    for (const { statement_id } of results) this.#statements.add(statement_id);
  }

  async #upload(): Promise<void> {
    for (let at = 0; !this.#isOver; at += 1) {
      const text = `${at} `.repeat(100_000);
      const headers = { 'content-type': 'application/octet-stream' };
      await this.#send('/store/v1/blob', { method: 'PUT', body: text, headers });
      this.#blobs.add(cidOf(codecs.raw, text).text);
      await delay(100);
    }
  }

  async #export(): Promise<void> {
    while (!this.#isOver) {
      const headers = { prefer: 'respond-async' };
      const path = `/manifest/v1?graph_ids=${this.#exportedGraphId}`;
      const response = await this.#send(path, { headers });
      this.#exports.push(String(response.headers.get('location')));
      await delay(500);
    }
  }

  async #putJson(path: string, body: object): Promise<Response> {
    const headers = { 'content-type': 'application/json' };
    return await this.#send(path, { method: 'PUT', body: JSON.stringify(body), headers });
  }

  /** Sends a request again until it is answered without a failure of the server. */
  async #send(path: string, init: RequestInit): Promise<Response> {
    for (;;) {
      const url = this.#urlOf();
      const response = url && (await fetch(url + path, init).catch(() => undefined));
      const text =
        response && response.status < 500 ? await response.text().catch(() => undefined) : undefined;
      if (response && text !== undefined) {
        if (!response.ok) throw new Error(text);
        return new Response(text || null, response);
      }
      if (url) this.#note(response ? String(response.status) : 'lost connection');
      await delay(retryMs);
    }
  }

  #note(failure: string): void {
    this.retries.set(failure, (this.retries.get(failure) ?? 0) + 1);
  }
}

function examples(count: number, first: number, prefix: string) {
  return Array.from({ length: count }, (_, at) => exampleStatement(first + at, prefix));
}

async function exportProblems(url: string, path: string): Promise<string[]> {
  const until = performance.now() + 180_000;
  for (;;) {
    const state = (await (await fetch(url + path)).json()) as { state: string; error: unknown };
    if (state.state === 'done') return [];
    if (state.state === 'failed' || performance.now() > until)
      return [`The export ${path} is ${state.state}: ${JSON.stringify(state.error)}`];
    await delay(100);
  }
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
