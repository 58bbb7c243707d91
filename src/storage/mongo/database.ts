import { type Collection, type Db, type Document, MongoClient, type MongoClientOptions } from 'mongodb';

/** For one command; the longest are batches of inserts and pages of scans. */
const commandMs = 30_000;
/** A server that cannot be reached fails a command after once or twice this time. */
const selectionMs = 5_000;

/** What the URL may say otherwise. */
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

/** What an acknowledgement means, and that it can be read, is not for the URL to say. */
const fixedOptions: MongoClientOptions = {
  writeConcern: { w: 'majority', journal: true },
  readPreference: 'primary',
  // Arrays of bytes instead of `Binary` around them.
  promoteBuffers: true,
};

export interface DatabaseAddress {
  /** May hold a password: neither sentences nor log lines have it. */
  readonly url: string;
  readonly name: string;
}

/** @throws MongoError when the URL is none; its message may hold a part of the password. */
export function databaseClient(url: string): MongoClient {
  const [, query = ''] = /\?(.*)$/s.exec(url) ?? [];
  const given = new Set([...new URLSearchParams(query).keys()].map((name) => name.toLowerCase()));
  const usual = Object.entries(usualOptions).filter(([name]) => !given.has(name.toLowerCase()));
  return new MongoClient(url, { ...Object.fromEntries(usual), ...fixedOptions });
}

/** Where a database is, in words for a log: its servers without user and password. */
export function placeOf({ options: { hosts, srvHost } }: MongoClient, name: string): string {
  return `MongoDB at ${srvHost ?? hosts.join(', ')} (database "${name}")`;
}

/** A database on a server that has been reached, and that server's clock. */
export class Database implements AsyncDisposable {
  readonly db: Db;
  /** Where it is, without user and password. */
  readonly place: string;
  readonly #client: MongoClient;
  /** Milliseconds since 1970 at which the monotonic clock of this process was at 0. */
  readonly #clockStart: number;

  private constructor(client: MongoClient, name: string, serverTime: Date) {
    this.#client = client;
    this.db = client.db(name);
    this.place = placeOf(client, name);
    this.#clockStart = serverTime.getTime() - performance.now();
  }

  /** Disposing of it closes the client. */
  static async connect(client: MongoClient, name: string): Promise<Database> {
    await client.connect();
    const { localTime } = await client.db('admin').command({ hello: 1 });
    return new Database(client, name, localTime instanceof Date ? localTime : new Date());
  }

  collection<Content extends Document>(name: string): Collection<Content> {
    return this.db.collection<Content>(name);
  }

  /** The server's time: what has to agree between processes does not go by their own clocks. It never goes back. */
  now(): Date {
    return new Date(this.#clockStart + performance.now());
  }

  /** @throws MongoError when the server does not answer. */
  async ping(): Promise<void> {
    await this.db.command({ ping: 1 });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#client.close();
  }
}
