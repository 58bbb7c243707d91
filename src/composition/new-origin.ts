import { ServiceError } from '../domain/errors.ts';
import { appendAll } from '../domain/log/appending/append.ts';
import { noteEntry } from '../domain/log/entries.ts';
import { logNames } from '../domain/log/names.ts';
import { parseCheckpoint } from '../domain/log/notes/checkpoint.ts';
import { isKeyName, parseNote } from '../domain/log/notes/signed-note.ts';
import { formatVkey, parseVkey } from '../domain/log/notes/vkey.ts';
import { newestCheckpoint } from '../domain/log/reading.ts';
import { logRecords, openLogs } from '../domain/log/records.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import { openStore } from '../storage/open.ts';
import { logKeysOf } from './log.ts';

export interface NewOrigin {
  readonly former: string;
  readonly vkey: string;
  readonly entries: number;
}

/**
 * Lets the log of a store go on under another origin. It is another log then, for everybody who follows it.
 * @throws ServiceError `unavailable`, `invalid_request`
 */
export async function takeNewOrigin(
  settings: Settings,
  origin: string,
  waiting: (sentence: string) => void,
): Promise<NewOrigin> {
  assertOrigin(origin);
  await using store = await openStore(settings, waiting);
  const records = logRecords(store);
  const keys = await logKeysOf(records, settings);
  const [service] = await openLogs(records.logs, [logNames.service, logNames.statements]);
  const last = await newestCheckpoint(records);
  if (!keys)
    throw new ServiceError(
      'invalid_request',
      'The new origin needs the key of the log. Set CAIRN_LOG_KEY_FILE, as for the services.',
    );
  if (!service?.vkey || !last)
    throw new ServiceError(
      'invalid_request',
      'The log of this store has published no checkpoint, so it has no other origin than that of CAIRN_PUBLIC_URL.',
    );
  const { name: former } = parseVkey(service.vkey);
  const { origin: published } = parseCheckpoint(parseNote(last.note).text);
  if (origin === former || origin === published)
    throw new ServiceError(
      'invalid_request',
      `The log has been published as ${origin}. A new history needs a name that it never had.`,
    );
  const vkey = formatVkey(keys.signersOf(origin)[0].vkey);
  const text = `This log goes on as ${origin}, from ${service.size} entries of ${former}.`;
  const note = { position: null, thing: `note/origin/${origin}`, bytes: noteEntry(text, store.now()) };
  const now = () => store.now().getTime();
  await appendAll(records, [{ log: logNames.statements, additions: [note] }], now);
  await records.logs.update(logNames.service, { vkey: service.vkey }, { vkey });
  return { former, vkey, entries: service.size };
}

const mostBytes = 200;

function assertOrigin(origin: string): void {
  if (isKeyName(origin) && Buffer.byteLength(origin) <= mostBytes) return;
  throw new ServiceError(
    'invalid_request',
    `${JSON.stringify(origin)} cannot be an origin. Use up to ${mostBytes} bytes without spaces and "+", such as cairn.example/log/v1/since-2026-11-24.`,
  );
}
