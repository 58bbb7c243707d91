import type { NameIndex } from '../names/name-index.ts';
import type { StatementScope } from '../ports.ts';
import type { ThingSearch } from './search.ts';
import { foldedText, rankOf, type Words, wordsOf } from './terms.ts';
import type { Hit } from './visible-hits.ts';

const mostSearches = 4;
const filesLooked = 50;

/**
 * The files that a search names by a part of a folder's name and by a part of the path in it: `imgs/a/i2` and `imgs i2` are
 * `a/i2.txt` in `data/imgs`. The index has only paths in folders, because a folder may be named later, and by each project in
 * another way.
 */
export async function filesUnder(
  ports: { readonly search: Pick<ThingSearch, 'inGroup'>; readonly names: Pick<NameIndex, 'of'> },
  sought: Words,
  scope: StatementScope,
): Promise<readonly Hit[]> {
  for (const words of withoutFolder(sought.words).slice(0, mostSearches)) {
    const page = { after: null, limit: filesLooked };
    const { hits } = await ports.search.inGroup({ words, group: 'artefacts' }, page, scope.visibility);
    const files = hits.flatMap((hit) => (hit.folder ? { hit, ...hit.folder } : []));
    const names = await ports.names.of(
      files.map(({ folder }) => folder),
      scope,
    );
    const fitting = files.filter(({ folder, path }) => {
      const name = names.get(folder)?.replace(/\/+$/, '') ?? '';
      return rankOf(foldedText(`${name}/${path}`), sought) !== undefined;
    });
    if (fitting.length > 0) return fitting.map(({ hit }) => hit);
  }
  return [];
}

/** What a search may say about the path in a folder: all but a word, or all after a slash. */
function withoutFolder(words: readonly string[]): Words[] {
  const replaced = (at: number, rest: string) => words.with(at, rest).filter((word) => word !== '');
  const paths = words.flatMap((word, at) =>
    Array.from(word.matchAll(/\//g), ({ index }) => replaced(at, word.slice(index + 1))),
  );
  const parts = [...paths, ...words.map((_, at) => replaced(at, ''))];
  return parts.filter(({ length }) => length > 0).map(wordsOf);
}
