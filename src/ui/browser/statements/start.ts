import { element, part } from '../element.ts';
import { loading } from '../failed.ts';
import '../file-drop.ts';
import { showFirstSteps } from '../first-steps.ts';
import { kindLabel } from '../kinds.ts';
import { showGraphs } from './graph-list.ts';
import { askNames } from './names.ts';
import { byName, registrantOf } from './search.ts';
import { foreignText, thing } from './shown-text.ts';
import { pageLinks, statementTable } from './statement-table.ts';
import { askStatements } from './statements-api.ts';

const recentRows = 20;
const foundRows = 50;

const query = new URLSearchParams(location.search);
const asked = (name: string) => (query.get(name) ?? '').trim();
const search = { q: asked('q'), type: asked('type'), by: asked('by'), cursor: asked('cursor') };
const isFiltered = search.q !== '' || search.type !== '' || search.by !== '';
const place = part('statements');

async function load(): Promise<void> {
  const by = await registrantOf(search.by);
  if (by === undefined) return show(element('p', {}, `Nobody is called “${search.by}” here. Enter a DID.`));
  if (search.q !== '') return await showNamed(by);
  const [list] = await Promise.all([
    askStatements({
      type: search.type,
      registered_by: by,
      cursor: search.cursor,
      limit: String(isFiltered ? foundRows : recentRows),
    }),
    isFiltered ? undefined : showGraphs(),
  ]);
  const { statements, next_cursor: next } = list;
  if (isFiltered) {
    part('explained').hidden = true;
    const kind = search.type === '' ? 'Statements' : `Statements of the kind ${kindLabel(search.type)}`;
    const who = by === '' ? [] : [' registered by ', thing(by, await askNames([by]))];
    part('statements-heading').replaceChildren(kind, ...who);
  }
  const isEmpty = !isFiltered && search.cursor === '' && statements.length === 0;
  if (isEmpty && part('graphs').childElementCount === 0) return showFirstSteps();
  show(statements.length > 0 ? await statementTable(statements) : nothing(next), pageLinks(next));
}

async function showNamed(by: string): Promise<void> {
  part('explained').hidden = true;
  part('statements-heading').replaceChildren('Names that begin with ', foreignText(`“${search.q}”`));
  const { content, next } = await byName({ ...search, by });
  show(content, pageLinks(next));
}

function show(...content: Node[]): void {
  const all = element('p', {}, element('a', { href: '/ui' }, 'Show everything'));
  place.replaceChildren(...content, ...(isFiltered ? [all] : []));
}

function nothing(next: string | undefined): Node {
  if (next !== undefined) return element('p', {}, 'Nothing matches so far. Older statements may.');
  const what = isFiltered ? 'matches' : 'is stored here yet';
  return element('p', {}, `No statement that you may see ${what}.`);
}

if (!part('found').hidden) void loading(load, place);
