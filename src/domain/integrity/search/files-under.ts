import type { NameIndex } from '../names/name-index.ts';
import type { StatementScope } from '../ports.ts';
import type { ThingSearch } from './search.ts';
import { foldedText, wordsIn } from './terms.ts';
import type { Hit } from './visible-hits.ts';

const mostSplits = 4;
const filesLooked = 20;

/**
 * The files that a text names by the end of a folder's name and by the path in the folder: `imgs/a/i2.txt` is `a/i2.txt` in
 * `data/imgs`. The index has only paths in folders, because a folder may be named later, and by each project in another way.
 */
export async function filesUnder(
  ports: { readonly search: Pick<ThingSearch, 'inGroup'>; readonly names: Pick<NameIndex, 'of'> },
  text: string,
  scope: StatementScope,
): Promise<readonly Hit[]> {
  const parts = foldedText(text).split('/');
  for (let at = 1; at < Math.min(parts.length, mostSplits + 1); at += 1) {
    const [folder, path] = [parts.slice(0, at).join('/'), parts.slice(at).join('/')];
    const words = wordsIn(path);
    if (!words || folder === '') continue;
    const page = { after: null, limit: filesLooked };
    const { hits } = await ports.search.inGroup({ words, group: 'artefacts' }, page, scope.visibility);
    const files = hits.filter((hit) => hit.folder && foldedText(hit.folder.path) === path);
    const names = await ports.names.of(
      files.flatMap((hit) => hit.folder?.folder ?? []),
      scope,
    );
    const nameOf = ({ folder: found }: Hit) => foldedText(names.get(found?.folder ?? '') ?? '');
    const fitting = files.filter((hit) => `/${nameOf(hit)}`.endsWith(`/${folder}`));
    if (fitting.length > 0) return fitting;
  }
  return [];
}
