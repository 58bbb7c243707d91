import { join } from 'node:path';
import { loggedKinds } from '../domain/collections/logged.ts';
import { messageOf, ServiceError } from '../domain/errors.ts';
import { logsForExport } from '../domain/integrity/manifest/published-heads.ts';
import { appendNew } from '../domain/log/appending/appender.ts';
import { publishHead } from '../domain/log/appending/publish.ts';
import { onlyTurn, type Turn, turnOf } from '../domain/log/appending/turns.ts';
import { type Unlogged, unloggedStatements } from '../domain/log/appending/unlogged.ts';
import { unloggedRecords } from '../domain/log/appending/unlogged-records.ts';
import { logNames, originOf } from '../domain/log/names.ts';
import { formatVkey, parseVkey, type Vkey } from '../domain/log/notes/vkey.ts';
import type { PublishedLogs } from '../domain/log/published.ts';
import { logReading, newestCheckpoint } from '../domain/log/reading.ts';
import { type LogRecords, logRecords, logTurns, openLog, publishingTurn } from '../domain/log/records.ts';
import { logStandings } from '../domain/log/witnessing/standings.ts';
import { logWarnings } from '../http/integrity/log/log-warnings.ts';
import { witnessTimeoutMs } from '../platform/http/witness-client.ts';
import type { Log } from '../platform/log.ts';
import { type LogKeys, openLogKeys } from '../platform/log-keys.ts';
import { publicUrlOf, type Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';
import { logStateOf } from './log-state.ts';
import { type LogWatch, openLogWatch } from './log-watch.ts';
import { repeatedly } from './repeatedly.ts';

type KeySettings = Pick<Settings, 'logKeyFile' | 'logMlDsaKeyFile' | 'dataDir' | 'mongodbUrl'>;
type LogSettings = KeySettings &
  Pick<Settings, 'logWitnesses' | 'logHeadFile' | 'publicUrl' | 'host' | 'port'>;

/** The logs of a store, and the keys that this process signs with. */
export interface ServiceLogs extends PublishedLogs {
  readonly records: LogRecords;
  readonly turns: Turns;
  /** Undefined if this process signs nothing. */
  readonly watch: LogWatch | undefined;
}

/**
 * Opens the logs of a store.
 * @throws ServiceError `unavailable` for keys that cannot be used, or that are not those of the log.
 */
export async function openServiceLogs(store: Store, settings: LogSettings, log: Log): Promise<ServiceLogs> {
  const records = logRecords(store);
  const keys = await logKeysOf(records, settings);
  if (!keys)
    log.warn(
      'The log grows, but no checkpoint is published, because this service has no key for it. Set CAIRN_LOG_KEY_FILE, the same for all processes.',
    );
  const signing = keys && {
    origin: await ownOrigin(records, keys, settings, log),
    signersOf: keys.signersOf,
  };
  const reading = logReading(records, store.loggedRows);
  const now = () => store.now();
  const standings = store.of(logStandings);
  const turns = settings.mongodbUrl === null ? { append: onlyTurn, publish: onlyTurn } : sharedTurns(store);
  const mayAsk = () => turns.publish.left() > witnessTimeoutMs;
  const watched = { records, standings, ...signing, log, now, mayAsk };
  const watch = signing && (await openLogWatch({ ...watched, ...signing }, settings));
  return { records, reading, signing, turns, watch, now };
}

/** What one process does for all that share a store. */
interface Turns {
  /** Several at once would do the same work, and nothing else. */
  readonly append: Turn;
  /** Several at once would ask witnesses with sizes that the other one has changed. */
  readonly publish: Turn;
}

const appendMs = 3_000;
/** A witness may take its time, and nobody else asks it meanwhile. */
const publishMs = witnessTimeoutMs + 3_000;

function sharedTurns(store: Pick<Store, 'of' | 'now'>): Turns {
  const [turns, holder] = [store.of(logTurns), crypto.randomUUID()];
  const now = () => store.now().getTime();
  return {
    append: turnOf(turns, { key: 'append', holder, ms: appendMs, now }),
    publish: turnOf(turns, { key: publishingTurn, holder, ms: publishMs, now }),
  };
}

/**
 * The logs of a store for a process that publishes no checkpoints. It signs for those that say what the service log has published,
 * if it has the key of that.
 */
export async function openLogsForReading(
  store: Pick<Store, 'of' | 'loggedRows' | 'now'>,
  settings: KeySettings,
) {
  const records = logRecords(store);
  const reading = logReading(records, store.loggedRows);
  const keys = await logKeysOf(records, settings);
  return {
    records,
    reading,
    async published(): Promise<PublishedLogs> {
      const vkey = (await records.logs.get(logNames.service))?.vkey ?? null;
      const origin = vkey === null ? undefined : parseVkey(vkey).name;
      const isOwn = origin !== undefined && keys && formatVkey(keys.signersOf(origin)[0].vkey) === vkey;
      const signing = isOwn ? { origin, signersOf: keys.signersOf } : undefined;
      return { reading, signing, now: () => store.now() };
    },
  };
}

/**
 * The keys that this process signs with; undefined if it has none. On the embedded store, a log that was never published gets one.
 * @throws ServiceError `unavailable`
 */
export async function logKeysOf(
  records: Pick<LogRecords, 'checkpoints'>,
  { logKeyFile, logMlDsaKeyFile, dataDir, mongodbUrl }: KeySettings,
): Promise<LogKeys | undefined> {
  if (logKeyFile !== null) return await openLogKeys({ file: logKeyFile, mayCreate: false }, logMlDsaKeyFile);
  if (mongodbUrl !== null) return undefined;
  const mayCreate = (await newestCheckpoint(records)) === undefined;
  return await openLogKeys({ file: join(dataDir, 'log-key.json'), mayCreate }, logMlDsaKeyFile);
}

/** The origin under which the log was published first. It stays, because it is the name of the log for everybody else. */
async function ownOrigin(
  records: LogRecords,
  keys: LogKeys,
  settings: LogSettings,
  log: Log,
): Promise<string> {
  const wanted = originOf(publicUrlOf(settings));
  const { vkey } = await openLog(records, logNames.service);
  const hasPublished = (await newestCheckpoint(records)) !== undefined;
  if (vkey === null || !hasPublished) {
    await records.logs.update(
      logNames.service,
      { vkey },
      { vkey: formatVkey(keys.signersOf(wanted)[0].vkey) },
    );
    return wanted;
  }
  const { name: origin } = parseVkey(vkey);
  const own = formatVkey(keys.signersOf(origin)[0].vkey);
  if (own !== vkey)
    throw new ServiceError(
      'unavailable',
      `The log key (CAIRN_LOG_KEY_FILE) is not the key of this log. Its checkpoints are signed by ${vkey}, and this key is ${own}. ` +
        'Set the key that has signed them. Nobody would accept a checkpoint by another one.',
    );
  if (origin !== wanted)
    log.warn(
      { origin },
      `The log keeps its origin ${origin}, although CAIRN_PUBLIC_URL would make it ${wanted}. Receipts and witnesses know it by that name.`,
    );
  return origin;
}

/** The keys of the log and of the witnesses that this process asks. */
function keysOf({ signing, watch }: ServiceLogs): readonly Vkey[] {
  const own = signing ? signing.signersOf(signing.origin).map(({ vkey }) => vkey) : [];
  return [...own, ...(watch?.policy.witnesses ?? []).map(({ vkey }) => vkey)];
}

const everyMs = 250;

/** What reads the logs, makes receipts, and exports with proofs. */
export function logPorts(
  store: Pick<Store, 'rows' | 'of' | 'now'>,
  logs: ServiceLogs,
  settings: Parameters<typeof logStateOf>[1],
) {
  const { rows } = store;
  const { reading } = logs;
  const logState = logStateOf(store, settings);
  return {
    rows,
    publishedLogs: logs,
    logState,
    logReading: reading,
    logsForExport: logsForExport({ rows, reading }),
    logKeys: keysOf(logs),
    warnings: () => logWarnings(logState),
  };
}

/** What may lack an entry in the logs of a store. */
export function unloggedIn(store: Pick<Store, 'unlogged' | 'of' | 'now'>): readonly Unlogged[] {
  const now = () => store.now();
  return [unloggedStatements(store.unlogged, now), unloggedRecords(store, loggedKinds, now)];
}

/** Brings what is stored into the logs, and publishes checkpoints, until disposed of. */
export function keepLogs(
  store: Store,
  { records, signing, turns, watch }: ServiceLogs,
  log: Log,
): AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const end = new AbortController();
  const ports = { records, unlogged: unloggedIn(store), now: () => store.now() };
  const saying = (what: string) => {
    let said: string | undefined;
    return (err: unknown) => {
      if (end.signal.aborted || said === messageOf(err)) return;
      said = messageOf(err);
      log.warn({ err }, `${what} has failed. It is tried again.`);
    };
  };
  const inTurn = (turn: Turn, work: () => Promise<unknown>, begin?: () => void) => {
    opened.defer(() => turn.end());
    let isOwn = false;
    return async () => {
      const hadTurn = isOwn;
      isOwn = await turn.take();
      if (isOwn && !hadTurn) begin?.();
      if (isOwn) await work();
    };
  };
  const append = inTurn(turns.append, () => appendNew(ports, end.signal));
  const notAppended = saying('Writing the log');
  opened.use(repeatedly(everyMs, () => append().catch(notAppended)));
  if (signing && watch) {
    const publishing = { signers: signing.signersOf(signing.origin), ...watch, turn: turns.publish };
    // Beside it, because witnesses can be slow.
    const work = () => publishHead(records, publishing, store.now().getTime());
    const publish = inTurn(turns.publish, work, watch.beginTurn);
    const notPublished = saying('Publishing a checkpoint');
    opened.use(repeatedly(everyMs, () => publish().catch(notPublished)));
  }
  opened.defer(() => end.abort());
  return opened;
}
