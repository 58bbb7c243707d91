import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { type: 'minor' }) => void;

/** Chunks of a download that may wait for the garbage collector. By itself it lets 64 MiB of them gather. */
const gatheredBytes = 16 << 20;

let collect: Collect | undefined;

/**
 * Passes chunks on, and collects young garbage now and then, so that a download of any size takes little
 * memory. A minor collection takes about a millisecond.
 */
export async function* withoutGathering(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let gathered = 0;
  for await (const chunk of chunks) {
    yield chunk;
    gathered += chunk.length;
    if (gathered < gatheredBytes) continue;
    gathered = 0;
    collect ??= collector();
    collect({ type: 'minor' });
  }
}

function collector(): Collect {
  setFlagsFromString('--expose-gc');
  return runInNewContext('gc') as Collect;
}
