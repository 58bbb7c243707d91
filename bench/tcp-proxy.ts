import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { freePort } from './free-port.ts';

/**
 * What an outage does to connections:
 * - `refuse`: closes them, and refuses new ones.
 * - `close`: closes them, and accepts new ones only to close them, like a proxy without its server.
 * - `reset`: the same with resets.
 * - `freeze`: passes nothing on until the end, like a stopped process.
 * - `half-open`: loses all data. Connections from before the end stay silent for ever, as behind a router that has
 *   forgotten them.
 */
export const outages = ['refuse', 'close', 'reset', 'freeze', 'half-open'] as const;
export type Outage = (typeof outages)[number];

/** Points of a command: before its request is passed on, before its answer, and in the middle of the answer. */
export const points = ['request', 'answer', 'mid-answer'] as const;
export type Point = (typeof points)[number];

interface Pair {
  readonly client: Socket;
  readonly server: Socket;
  isLost: boolean;
}

/** A TCP proxy that can simulate outages of the server. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #pairs = new Set<Pair>();
  readonly port: number;
  #server: Server | undefined;
  #outage: Outage | undefined;
  #losesAnswers = false;
  #armed: { readonly point: Point; readonly outage: Outage } | undefined;

  private constructor(target: { readonly host: string; readonly port: number }, port: number) {
    this.#target = target;
    this.port = port;
  }

  /** @param url of the server. The proxy connects to its `host:port`. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) }, await freePort());
    await proxy.restore();
    return proxy;
  }

  /** The URL with the address of the proxy. */
  url(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.port}`;
    return changed.href;
  }

  /** Begins an outage, which lasts until `restore`. */
  fail(outage: Outage): void {
    this.#outage = outage;
    this.#armed = undefined;
    if (outage === 'refuse') {
      this.#server?.close();
      this.#server = undefined;
    }
    for (const pair of this.#pairs) begin(pair, outage);
  }

  /** Begins an outage at a point of the next command. */
  failAt(point: Point, outage: Outage): void {
    this.#armed = { point, outage };
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    const closed = server?.listening ? once(server, 'close') : undefined;
    this.fail('refuse');
    await closed;
  }

  /** Ends the outage. Accepts connections again on the same port. */
  async restore(): Promise<void> {
    this.#outage = undefined;
    this.#armed = undefined;
    this.#losesAnswers = false;
    for (const { client, server } of this.#pairs) for (const socket of [client, server]) socket.resume();
    if (this.#server) return;
    this.#server = createServer((client) => this.#join(client));
    this.#server.listen(this.port, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  /** Passes on requests and drops answers. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  #join(client: Socket): void {
    if (this.#outage === 'close') return void client.destroy();
    if (this.#outage === 'reset') return void client.resetAndDestroy();
    const server = connect(this.#target);
    const pair: Pair = { client, server, isLost: false };
    this.#pairs.add(pair);
    client.on('data', (chunk: Buffer) => this.#passRequest(pair, chunk));
    server.on('data', (chunk: Buffer) => this.#passAnswer(pair, chunk));
    client.on('close', () => {
      this.#pairs.delete(pair);
      server.destroy();
    });
    server.on('close', () => {
      if (!pair.isLost) client.destroy();
    });
    // A 'close' follows.
    for (const socket of [client, server]) socket.on('error', () => undefined);
    if (this.#outage) begin(pair, this.#outage);
  }

  #passRequest({ server, isLost }: Pair, chunk: Buffer): void {
    if (this.#armed?.point === 'request') this.fail(this.#armed.outage);
    else if (!isLost) server.write(chunk);
  }

  #passAnswer({ client, isLost }: Pair, chunk: Buffer): void {
    if (isLost || this.#losesAnswers) return;
    const { point, outage } = this.#armed ?? {};
    if (point !== 'answer' && point !== 'mid-answer') return void client.write(chunk);
    if (point === 'mid-answer') client.write(chunk.subarray(0, chunk.length >> 1));
    if (outage) this.fail(outage);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }
}

function begin(pair: Pair, outage: Outage): void {
  const { client, server } = pair;
  if (outage === 'half-open') pair.isLost = true;
  else if (outage === 'freeze') for (const socket of [client, server]) socket.pause();
  else {
    if (outage === 'reset') client.resetAndDestroy();
    else client.destroy();
    server.destroy();
  }
}
