import type { RecordsOf } from '../../collections/collection.ts';
import { eachRecord } from '../../collections/records.ts';
import type { logTurns } from '../records.ts';

const turnMs = 3_000;
/** A turn is renewed this early. */
const renewMs = 1_500;

/**
 * Whether this process does a kind of work for the next seconds. It keeps processes from doing the same, and nothing relies on
 * it.
 */
export async function hasTurn(
  turns: RecordsOf<typeof logTurns>,
  key: string,
  holder: string,
  now: number,
): Promise<boolean> {
  const current = await turns.get(key);
  const until = now + turnMs;
  if (!current) return (await turns.insert([{ key, holder, until }]))[0] === true;
  const isOwn = current.holder === holder;
  if (isOwn && current.until > now + renewMs) return true;
  if (!isOwn && current.until > now) return false;
  const expected = { holder: current.holder, until: current.until };
  return (await turns.update(key, expected, { holder, until })) !== undefined;
}

/** Lets other processes go on at once. */
export async function endTurns(turns: RecordsOf<typeof logTurns>, holder: string): Promise<void> {
  for await (const { key } of eachRecord(turns, 'key', [])) await turns.remove(key, { holder });
}
