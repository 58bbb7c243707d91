import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that can simulate outages of the server. */
export class TcpProxy implements AsyncDisposable {
  readonly #target: { readonly host: string; readonly port: number };
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  #isSilent = false;
  #losesAnswers = false;

  private constructor(target: { readonly host: string; readonly port: number }) {
    this.#target = target;
  }

  /** @param url of the server. The proxy connects to its `host:port`. */
  static async before(url: string): Promise<TcpProxy> {
    const { hostname, port } = new URL(url);
    const proxy = new TcpProxy({ host: hostname, port: Number(port) });
    await proxy.restore();
    return proxy;
  }

  get port(): number {
    return this.#port;
  }

  /** The URL with the address of the proxy. */
  url(url: string): string {
    const changed = new URL(url);
    changed.host = `127.0.0.1:${this.#port}`;
    return changed.href;
  }

  /** Closes all connections and refuses new ones. */
  async cut(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (!server) return;
    server.close();
    await once(server, 'close');
  }

  /** Accepts connections again on the same port. */
  async restore(): Promise<void> {
    this.#isSilent = false;
    this.#losesAnswers = false;
    if (this.#server) return;
    this.#server = createServer((client) => this.#join(client));
    this.#server.listen(this.#port, '127.0.0.1');
    await once(this.#server, 'listening');
    this.#port = (this.#server.address() as AddressInfo).port;
  }

  /** Drops all data in both directions without closing connections, like a hanging server. */
  silence(): void {
    this.#isSilent = true;
  }

  /** Passes on requests and drops answers. */
  loseAnswers(): void {
    this.#losesAnswers = true;
  }

  #join(client: Socket): void {
    const server = connect(this.#target);
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      from.on('data', (chunk) => {
        if (!this.#isSilent && !(this.#losesAnswers && from === server)) to.write(chunk);
      });
      from.on('close', () => {
        this.#sockets.delete(from);
        to.destroy();
      });
      from.on('error', () => to.destroy());
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.cut();
  }
}
