import { awaited } from '../../log/waiting.ts';
import { absentMs, type HashingPorts, longestWaitMs } from './hash-unhashed.ts';

/** How long callers wait. Beside uploads, hashing begins after half a minute. */
export const hashingWaitMs = longestWaitMs + 10_000;

type Ports = Pick<HashingPorts, 'unhashed' | 'now'>;

/** What was noted before that is the backlog of an older store, which may take hours. */
const recentMs = 600_000;
/** The oldest come first. */
const looked = 100;

/** Waits until the blobs that were stored just before the call have their digests, or the signal is aborted. */
export async function hashedByNow(ports: Ports, signal: AbortSignal): Promise<void> {
  const time = ports.now().getTime();
  await awaited(
    () => isHashing(ports, time),
    (is) => !is,
    signal,
  );
}

/** Whether a blob that was noted just before a time is due, or has been taken. One that was never stored is due again now and then. */
async function isHashing({ unhashed, now }: Ports, time: number): Promise<boolean> {
  const at = now().getTime();
  const ranges = [{ until: at + 1 }, { from: at + absentMs + 1 }];
  const found = await Promise.all(
    ranges.map((range) => unhashed.page('byDue', [], { after: null, limit: looked, range })),
  );
  return found.some(({ records }) =>
    records.some(({ notedAt }) => notedAt <= time && notedAt > time - recentMs),
  );
}
