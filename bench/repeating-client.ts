import { setTimeout as delay } from 'node:timers/promises';
import pMap from 'p-map';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';

type Statement = Readonly<Record<string, unknown>>;

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The API says 503. A proxy adds 502 and 504. */
const mayRepeat = [502, 503, 504];
const silenceMs = 10_000;
const giveUpMs = 120_000;
const retryMs = 20;
const lookedForAtOnce = 16;
/** New connections reach servers that were started later. */
const requestsPerConnection = 100;
const statements = '/statements/v1';
const blobs = '/store/v1/blob';

/**
 * Repeats a request until it is acknowledged: after 503, and after a lost connection, because everything is named by its
 * content. Each write returns the path that reads it back.
 */
export class RepeatingClient {
  readonly #urlOf: () => string | undefined;
  #sent = 0;
  /** How often a request was sent again, by what happened to it: a status, or a lost connection. */
  readonly retries = new Map<string, number>();

  /** @param urlOf the address for the next attempt of a request; undefined if there is none now. */
  constructor(urlOf: () => string | undefined) {
    this.#urlOf = urlOf;
  }

  async putStatement(statement: Statement): Promise<string> {
    const { text } = await this.putJson(statements, { statement, generate_id: true });
    return `${statements}/id/urn:cid:${JSON.parse(text).rdfc_cid}`;
  }

  async putStatements(made: readonly Statement[], graphId: string): Promise<string[]> {
    const body = { statements: made, generate_id: true, graph_id: graphId };
    const { text } = await this.putJson(`${statements}/batch`, body);
    return statementPaths(text);
  }

  async putBlob(text: string): Promise<string> {
    const headers = { 'content-type': 'application/octet-stream' };
    await this.send(blobs, { method: 'PUT', body: text, headers });
    return blobPath(text);
  }

  async putJson(path: string, body: object): Promise<Answer> {
    const headers = { 'content-type': 'application/json' };
    return await this.send(path, { method: 'PUT', body: JSON.stringify(body), headers });
  }

  /** @returns a sentence about each path whose content is gone or wrong. */
  async problems(paths: Iterable<string>): Promise<string[]> {
    const look = async (path: string) => {
      try {
        const { text } = await this.send(path);
        return holds(path, text) ? [] : [`${path} holds other content.`];
      } catch (error) {
        return [(error as Error).message];
      }
    };
    return (await pMap(paths, look, { concurrency: lookedForAtOnce })).flat();
  }

  /** @throws Error if the request is refused, or is not answered for two minutes. */
  async send(path: string, init: RequestInit = {}): Promise<Answer> {
    const until = performance.now() + giveUpMs;
    for (;;) {
      const url = this.#urlOf();
      const answer = url ? await this.#attempt(url + path, init).catch(() => undefined) : undefined;
      if (answer && answer.status < 300) return answer;
      const problem = answer ? `${answer.status} ${answer.text}` : 'lost connection';
      if (performance.now() > until || (answer && !mayRepeat.includes(answer.status)))
        throw new Error(`${init.method ?? 'GET'} ${path.slice(0, 80)}: ${problem}`);
      if (url) this.#note(answer ? String(answer.status) : problem);
      await delay(Number(answer?.headers.get('retry-after') ?? 0) * 1_000 || retryMs);
    }
  }

  async #attempt(url: string, init: RequestInit): Promise<Answer> {
    const headers = new Headers(init.headers);
    this.#sent += 1;
    if (this.#sent % requestsPerConnection === 0) headers.set('connection', 'close');
    const response = await fetch(url, { ...init, headers, signal: AbortSignal.timeout(silenceMs) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  #note(failure: string): void {
    this.retries.set(failure, (this.retries.get(failure) ?? 0) + 1);
  }
}

/** The paths of the statements of a batch. @param answer to the batch. */
export function statementPaths(answer: string): string[] {
  const { results } = JSON.parse(answer) as { results: { statement_id: string }[] };
  return results.map(({ statement_id }) => `${statements}/id/${statement_id}`);
}

export function blobPath(text: string): string {
  return `${blobs}/${cidOf(codecs.raw, text).text}`;
}

function holds(path: string, text: string): boolean {
  if (path.startsWith(blobs)) return blobPath(text) === path;
  return `${statements}/id/${JSON.parse(text)['@id']}` === path;
}
