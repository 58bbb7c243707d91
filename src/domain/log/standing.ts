import { type Publication, Publications } from './publications.ts';
import type { LogReading } from './reading.ts';
import type { LogRecords } from './records.ts';

/** Whether the log has something. */
export type LogStanding =
  | { readonly state: 'logged'; readonly publication: Publication }
  /** No published checkpoint has it, or all of it, yet. */
  | { readonly state: 'waiting' }
  /** It does not exist or is empty, or the caller may not know. */
  | { readonly state: 'unknown' };

export interface StandingReading {
  readonly reading: LogReading;
  readonly records: Pick<LogRecords, 'logs' | 'heads' | 'checkpoints'>;
}

/** Whether a log is published whole, and since when. */
export interface WholeStanding {
  readonly standing: LogStanding;
  /** In the newest published head of the log. */
  readonly entries: number;
}

export async function wholeStanding(
  { reading, records }: StandingReading,
  log: string,
): Promise<WholeStanding> {
  const newest = await reading.published();
  const { size: entries = 0 } = (newest && (await reading.headAt(log, newest.size))) ?? {};
  const { size = 0 } = (await records.logs.get(log)) ?? {};
  if (size === 0) return { standing: { state: 'unknown' }, entries };
  const publication =
    newest && size === entries ? await new Publications(records, newest).of(log, entries - 1) : undefined;
  return { standing: publication ? { state: 'logged', publication } : { state: 'waiting' }, entries };
}
