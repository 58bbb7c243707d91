import { subscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';
import type { ConnectionCounts } from '../store.ts';

/** For one command. The longest are batches of inserts and pages of scans. */
const commandMs = 30_000;
/** While no server can be reached, a command fails after once or twice this time. */
const selectionMs = 5_000;

/** The URL can override these. */
const usualOptions: MongoClientOptions = {
  appName: 'cairn',
  maxPoolSize: 64,
  maxConnecting: 4,
  connectTimeoutMS: selectionMs,
  heartbeatFrequencyMS: selectionMs,
  serverSelectionTimeoutMS: selectionMs,
  socketTimeoutMS: commandMs,
  waitQueueTimeoutMS: commandMs,
};

/** The URL cannot override these, because they make acknowledged writes durable and readable. */
const fixedOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  promoteBuffers: true,
};

export interface DatabaseAddress {
  /** May contain a password, so it must not get into messages or logs. */
  readonly url: string;
  readonly name: string;
}

/** @throws MongoError for an invalid URL. Its message may contain a part of the password. */
export function databaseClient(url: string): MongoClient {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  const given = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const usual = Object.entries(usualOptions).filter(([name]) => !given.has(name.toLowerCase()));
  return new MongoClient(url, { ...Object.fromEntries(usual), ...fixedOptions });
}

/** Where a database is, for logs, without user and password. */
export function placeOf({ options: { hosts, srvHost } }: MongoClient, name: string): string {
  return `MongoDB at ${srvHost ?? hosts.join(', ')} (database "${name}")`;
}

/** A connected database with the clock of its server. */
export class Database implements AsyncDisposable {
  readonly db: Db;
  readonly place: string;
  readonly #client: MongoClient;
  readonly #url: string;
  readonly connections: () => ConnectionCounts;
  /** The server's time, in milliseconds since 1970, at which the monotonic clock of this process was 0. */
  readonly #clockStart: number;

  private constructor(
    client: MongoClient,
    { url, name }: DatabaseAddress,
    serverTime: Date,
    connections: () => ConnectionCounts,
  ) {
    this.#client = client;
    this.#url = url;
    this.connections = connections;
    this.db = client.db(name);
    this.place = placeOf(client, name);
    this.#clockStart = serverTime.getTime() - performance.now();
  }

  /** Disposing closes the client. */
  static async connect(client: MongoClient, address: DatabaseAddress): Promise<Database> {
    const connections = countConnections(client);
    await client.connect();
    const { localTime } = await client.db('admin').command({ hello: 1 });
    return new Database(client, address, localTime instanceof Date ? localTime : new Date(), connections);
  }

  collection<Content extends Document>(name: string): Collection<Content> {
    return this.db.collection<Content>(name);
  }

  /** The server's time, which all processes share. It never goes back. */
  now(): Date {
    return new Date(this.#clockStart + performance.now());
  }

  async ping(): Promise<void> {
    await this.db.command({ ping: 1 });
  }

  /** Like `ping`, with a client of its own. */
  async pingAnew(): Promise<void> {
    const client = databaseClient(this.#url);
    try {
      await client.db(this.db.databaseName).command({ ping: 1 });
    } finally {
      await client.close();
    }
  }

  /** Replaces all connections. Collections go on with the new ones, because a client that was closed can connect again. */
  async reconnect(): Promise<void> {
    await this.#client.close();
    await this.#client.connect();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}

/** Counts the connections of a client by its pool events, from before it connects. */
function countConnections(client: MongoClient): () => ConnectionCounts {
  const counts = { open: 0, used: 0, waiting: 0, failures: 0 };
  client.on('connectionCreated', () => counts.open++);
  client.on('connectionClosed', () => counts.open--);
  client.on('connectionCheckOutStarted', () => counts.waiting++);
  client.on('connectionCheckedOut', () => {
    counts.waiting -= 1;
    counts.used += 1;
  });
  client.on('connectionCheckOutFailed', () => {
    counts.waiting -= 1;
    counts.failures += 1;
  });
  client.on('connectionCheckedIn', () => counts.used--);
  return () => ({ limit: client.options.maxPoolSize, ...counts });
}

/**
 * Lets the driver notice that a socket was closed before it wrote to it. The driver (7.9.0 too) waits for `drain` or
 * `error` when `write` returns false, but a socket that is closed already emits only `close`. Otherwise such a command
 * never ends, and all that wait for it; if it is a heartbeat, the server is never reached again.
 */
subscribe('net.client.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  socket.once('close', () => {
    // The driver has heard of the `close` as well, and throws when it goes on.
    if (socket.listenerCount('drain') > 0) socket.emit('drain');
  });
});
