import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { type Checkpoint, parseCheckpoint } from '../src/domain/log/notes/checkpoint.ts';
import { parseNote } from '../src/domain/log/notes/signed-note.ts';
import { parseAddCheckpoint } from '../src/domain/log/witnessing/add-checkpoint.ts';

const main = fileURLToPath(new URL('../src/main.ts', import.meta.url));

/** A `cairn log witness` in a process of its own, behind an address that notes what it is asked and what it answers. */
export class WitnessBeside implements AsyncDisposable {
  /** The policy file of a service that needs its cosignature. */
  readonly policyFile: string;
  /** All checkpoints that a service has signed and shown. */
  readonly checkpoints: Checkpoint[] = [];
  /** How many requests it has answered, by status. */
  readonly statuses = new Map<number, number>();
  readonly #opened = new AsyncDisposableStack();

  private constructor(policyFile: string) {
    this.policyFile = policyFile;
  }

  /** @param folder is made. @param vkey of the log that it follows. */
  static async start(folder: string, vkey: string): Promise<WitnessBeside> {
    const policyFile = `${folder}.policy`;
    const witness = new WitnessBeside(policyFile);
    let target = '';
    const server = createServer((request, response) => {
      witness.#forward(target, request, response).catch(() => response.destroy());
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    witness.#opened.defer(() => server.close().closeAllConnections());
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const parameters = ['log', 'witness', folder, '--name', 'w.example/w', '--log', vkey, '--port', '0'];
    const child = spawn(process.execPath, [main, ...parameters], {
      env: { ...process.env, CAIRN_LOG_LEVEL: 'info' },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    witness.#opened.defer(async () => {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    });
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    for await (const line of createInterface({ input: child.stderr })) {
      target = /http:\/\/127\.0\.0\.1:\d+/.exec(line)?.[0] ?? '';
      if (target !== '') break;
    }
    if (target === '') throw new Error('The witness did not start.');
    child.stderr.resume();
    const ed25519 = (lines.find((line) => line.startsWith('witness ')) ?? '').split(' ').slice(0, 3);
    writeFileSync(policyFile, `${ed25519.join(' ')} ${url}\nquorum ${ed25519[1]}\n`);
    return witness;
  }

  /**
   * What a witness never says to a log that has one history.
   * @param isPaused whether a process could be paused between reading and asking, so that another one was faster.
   */
  problems(isPaused = false): string[] {
    const expected = [200, 404, ...(isPaused ? [409] : [])];
    return [...this.statuses].flatMap(([status, times]) =>
      expected.includes(status) ? [] : [`The witness has answered ${status} ${times} times.`],
    );
  }

  toString(): string {
    const counts = [...this.statuses].map(([status, times]) => `${status}: ${times}`);
    return `${this.checkpoints.length} checkpoints shown to the witness (${counts.join(', ')})`;
  }

  async #forward(target: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    if (request.method === 'POST')
      this.checkpoints.push(parseCheckpoint(parseNote(parseAddCheckpoint(body).note).text));
    const sent = request.method === 'POST' ? { method: 'POST', body } : {};
    const answer = await fetch(`${target}${request.url}`, sent);
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'text/plain' });
    response.end(await answer.text());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#opened.disposeAsync();
  }
}
