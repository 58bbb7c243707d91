import { wasTaken } from '../domain/log/appending/turns.ts';
import { logTurns, publishingTurn } from '../domain/log/records.ts';
import {
  type LogState,
  logStandings,
  readStandings,
  withoutProcess,
} from '../domain/log/witnessing/standings.ts';
import type { Settings } from '../platform/settings/setting-table.ts';
import type { Store } from '../storage/open.ts';

/** Reads how publishing the log of a store goes. Any of its processes can tell. */
export function logStateOf(
  store: Pick<Store, 'of' | 'now'>,
  { mongodbUrl, logKeyFile }: Pick<Settings, 'mongodbUrl' | 'logKeyFile'>,
): () => Promise<LogState> {
  const [standings, turns] = [store.of(logStandings), store.of(logTurns)];
  // A process with a store of its own publishes. Without a key, nobody is meant to.
  if (mongodbUrl === null || logKeyFile === null) return () => readStandings(standings);
  return async () => {
    const state = await readStandings(standings);
    const isKept = await wasTaken(turns, publishingTurn, store.now().getTime());
    return isKept ? state : withoutProcess(state);
  };
}
