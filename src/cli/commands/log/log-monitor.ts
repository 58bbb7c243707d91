import { logName } from '../../../contract/integrity/log-name.ts';
import { toBase64 } from '../../../domain/base64.ts';
import { messageOf, ServiceError } from '../../../domain/errors.ts';
import { parseServiceEntry } from '../../../domain/log/entries.ts';
import { MerkleRange } from '../../../domain/log/merkle/range.ts';
import {
  followHeads,
  HeadContradiction,
  type NotedHead,
} from '../../../domain/log/monitoring/followed-heads.ts';
import {
  type Followed,
  followLog,
  LogContradiction,
  type RemoteLog,
} from '../../../domain/log/monitoring/followed-log.ts';
import { blindedName, logNames } from '../../../domain/log/names.ts';
import type { Cosigner, LogTrust } from '../../../domain/log/notes/tlog-proof.ts';
import { formatVkey, parseVkey } from '../../../domain/log/notes/vkey.ts';
import { LogProofError } from '../../../domain/log/proof-error.ts';
import { type ApiClient, ApiRefusal, answerJson, answerText, openClient } from '../../client/api-client.ts';
import { logTrust } from '../../client/log-trust.ts';
import { remoteLog } from '../../client/remote-log.ts';
import { exitCodes, failNo, failUsage } from '../../terminal/failure.ts';
import type { Io } from '../../terminal/io.ts';
import { say, writeText } from '../../terminal/output.ts';
import { type MonitorState, readState, writeState } from './monitor-state.ts';

export interface MonitorOptions {
  readonly logKey: readonly string[];
  readonly logPolicy?: string;
  readonly graph: readonly string[];
  readonly agent: readonly string[];
  readonly json?: true;
}

interface Place {
  readonly url: string;
  readonly bearer: () => string | null;
  /** Where the state is kept. */
  readonly file: string;
}

/** A log of a graph or an agent whose heads are checked. */
interface Subject {
  readonly name: string;
  readonly log: RemoteLog;
  /** As it stands in the service log, in hex. */
  readonly blinded: string;
}

interface Looked {
  readonly origin: string;
  readonly from: number;
  readonly size: number;
  readonly grown: ReadonlyMap<string, number>;
  readonly witnesses: readonly Cosigner[];
  readonly heads: readonly { readonly name: string; readonly size: number; readonly checked: number }[];
  readonly isOlder: boolean;
}

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

/** Follows one log and keeps what it knows in a file. */
export class LogMonitor {
  readonly #io: Io;
  readonly #place: Place;
  readonly #flags: MonitorOptions;
  readonly #client: ApiClient;
  readonly #log: RemoteLog;
  readonly #trust: LogTrust;
  readonly #keys: readonly string[];
  #state: MonitorState | undefined;

  private constructor(
    io: Io,
    place: Place,
    flags: MonitorOptions,
    client: ApiClient,
    trust: LogTrust,
    keys: readonly string[],
  ) {
    [this.#io, this.#place, this.#flags, this.#client] = [io, place, flags, client];
    [this.#trust, this.#keys] = [trust, keys];
    this.#log = remoteLog(client, '');
    this.#state = readState(place.file, place.url);
  }

  static async open(io: Io, place: Place, flags: MonitorOptions): Promise<LogMonitor> {
    const client = openClient(place);
    const given = await logTrust(flags);
    const state = readState(place.file, place.url);
    const known = [...given.logs, ...given.policy.logs.map(({ vkey }) => vkey)].map(formatVkey);
    const keys = known.length > 0 ? known : (state?.keys ?? (await ownKeys(io, client)));
    return new LogMonitor(io, place, flags, client, { ...given, logs: keys.map(keyOf) }, keys);
  }

  /** @returns what is new, for standard output. @throws Failure if the log contradicts itself. */
  async look(): Promise<string> {
    const state = this.#state;
    const subjects = await this.#subjects();
    const last = state?.size ?? 0;
    // A log that is followed newly may have heads anywhere.
    const isComplete = subjects.every(({ name }) => state?.logs[name]);
    const range = state && isComplete ? rangeOf(state) : new MerkleRange();
    const before: Followed | undefined = state && { note: state.note, range };
    const grown = new Map<string, number>();
    const heads = new Map(subjects.map(({ blinded }): [string, NotedHead[]] => [blinded, []]));
    const step = await this.#orContradiction(() =>
      followLog(this.#log, before, this.#trust, (entry, serviceIndex) => {
        const head = headIn(entry);
        if (!head) return;
        const blinded = hex(head.blindedName);
        if (serviceIndex >= last) grown.set(blinded, (grown.get(blinded) ?? 0) + 1);
        heads.get(blinded)?.push({ serviceIndex, size: head.size, root: head.root });
      }),
    );
    const { followed, verified, isOlder } = step;
    const logs: MonitorState['logs'] = { ...state?.logs };
    const checked: Looked['heads'][number][] = [];
    for (const { name, log, blinded } of isOlder ? [] : subjects) {
      const known = logs[name];
      const all = heads.get(blinded) ?? [];
      const fresh = known ? all.filter(({ serviceIndex }) => serviceIndex >= known.until) : all;
      const tree = await this.#orContradiction(() =>
        followHeads(log, name, known ? rangeOf(known) : new MerkleRange(), fresh),
      );
      logs[name] = { until: followed.range.size, size: tree.size, hashes: tree.hashes.map(toBase64) };
      checked.push({ name, size: tree.size, checked: fresh.length });
    }
    const { origin, size } = verified.checkpoint;
    if (!isOlder) {
      const { url, file } = this.#place;
      const hashes = followed.range.hashes.map(toBase64);
      this.#state = {
        url,
        keys: [...this.#keys],
        note: followed.note,
        size: followed.range.size,
        hashes,
        logs,
      };
      await writeState(file, this.#state);
    }
    const looked = {
      origin,
      from: last,
      size,
      grown,
      witnesses: verified.witnesses,
      heads: checked,
      isOlder,
    };
    return this.#flags.json ? jsonOf(looked) : wordsOf(looked);
  }

  /** Where the heads of the graphs and agents are found in the service log. Nonces never change. */
  async #subjects(): Promise<Subject[]> {
    const { graph, agent } = this.#flags;
    const names = [...graph.map(logNames.graph), ...agent.map(logNames.agent)];
    return await Promise.all(
      names.map(async (name) => {
        const { nonce } = await this.#nameOf(name);
        const blinded = hex(blindedName(name, Buffer.from(nonce, 'base64')));
        return { name, blinded, log: remoteLog(this.#client, `/${name}`) };
      }),
    );
  }

  async #nameOf(name: string) {
    try {
      return await answerJson(await this.#client.send('GET', `/${name}/name`), logName);
    } catch (error) {
      // A log that was there before may not be gone.
      const isNew = this.#state?.logs[name] === undefined;
      if (error instanceof ApiRefusal && error.exitCode === exitCodes.no && isNew) failUsage(error.message);
      throw error;
    }
  }

  async #orContradiction<Result>(work: () => Promise<Result>): Promise<Result> {
    try {
      return await work();
    } catch (error) {
      if (error instanceof LogContradiction) {
        const parts = [error.before, error.now].filter((note) => note !== '');
        await writeText(this.#io, parts.join('\n'));
        failNo(
          `${this.#place.url} contradicts itself. ${error.message} Keep the checkpoints: its operator has signed them.`,
        );
      }
      if (error instanceof HeadContradiction) {
        await writeText(this.#io, this.#state?.note ?? '');
        failNo(`${this.#place.url} contradicts itself. ${error.message}`);
      }
      if (error instanceof LogProofError)
        failNo(`The checkpoint of ${this.#place.url} is refused. ${error.message}`);
      if (error instanceof ServiceError && error.code === 'damaged') failNo(error.message);
      throw error;
    }
  }
}

async function ownKeys(io: Io, client: ApiClient): Promise<string[]> {
  const text = await answerText(await client.send('GET', '/key'));
  const keys = text.split('\n').filter((line) => line !== '');
  if (keys.length === 0) failUsage('The log names no key. Give it with --log-key.');
  say(
    io,
    `Trusting the key that the log names itself: ${keys[0]}. Compare it with what its operator has told you.`,
  );
  return keys;
}

function keyOf(text: string) {
  try {
    return parseVkey(text);
  } catch (error) {
    return failNo(`The log names a key that cannot be used. ${messageOf(error)}`);
  }
}

function rangeOf({
  size,
  hashes,
}: {
  readonly size: number;
  readonly hashes: readonly string[];
}): MerkleRange {
  return new MerkleRange(
    size,
    hashes.map((hash) => Buffer.from(hash, 'base64')),
  );
}

/** Logs of others have other entries. */
function headIn(entry: Uint8Array) {
  try {
    return parseServiceEntry(entry);
  } catch {
    return undefined;
  }
}

function jsonOf({ grown, witnesses, isOlder, ...looked }: Looked): string {
  const times = witnesses.map(({ name, at }) => ({ name, at: iso(at) }));
  return `${JSON.stringify({ ...looked, is_older: isOlder, grown: Object.fromEntries(grown), witnesses: times })}\n`;
}

function wordsOf({ origin, from, size, grown, witnesses, heads, isOlder }: Looked): string {
  const number = (value: number) => value.toLocaleString('en');
  const witnessed = witnesses.map(({ name, at }) => `${name} at ${iso(at)}`).join(', ');
  const seen = witnessed === '' ? '' : `; witnessed by ${witnessed}`;
  if (isOlder)
    return `${origin}: an older checkpoint of ${number(size)} entries, consistent with ${number(from)}${seen}\n`;
  const more =
    size === from
      ? `${number(size)} entries, nothing new`
      : `${number(from)} → ${number(size)} entries, ${grown.size === 1 ? '1 log has' : `${number(grown.size)} logs have`} grown`;
  const lines = heads.map(
    ({ name, size: entries, checked }) =>
      `  ${name}: ${number(entries)} entries, ${number(checked)} new heads checked\n`,
  );
  return `${origin}: ${more}${seen}\n${lines.join('')}`;
}

function iso(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z');
}
