import type { Log } from '../platform/log.ts';
import type { Store } from '../storage/open.ts';
import { repeatedly } from './repeatedly.ts';

const lookEveryMs = 1_000;

/** Indexes the files of folders for the search soon after they were stored, until disposed of. */
export function indexFolders(store: Pick<Store, 'indexDueFolders'>, log: Log): AsyncDisposable {
  const opened = new AsyncDisposableStack();
  const end = new AbortController();
  const indexAllDue = async () => {
    while ((await store.indexDueFolders(end.signal)) > 0);
  };
  const onError = (err: unknown) => {
    if (!end.signal.aborted) log.warn({ err }, 'Indexing the files of folders has failed. It goes on later.');
  };
  opened.use(repeatedly(lookEveryMs, () => indexAllDue().catch(onError)));
  opened.defer(() => end.abort());
  return opened;
}
