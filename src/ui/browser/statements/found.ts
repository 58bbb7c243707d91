import type { FoundThingsAnswer, SearchGroup, ThingAnswer } from '../../../contract/integrity/search.ts';
import { searchAdvice } from '../../../contract/words/search.ts';
import { bareId, counted, harmless, shortId } from '../../../contract/words/text.ts';
import { askJson } from '../api.ts';
import { button, element, part } from '../element.ts';
import { failureParts, loading } from '../failed.ts';
import '../file-drop.ts';
import { kindLabel } from '../kinds.ts';
import { when } from '../times.ts';
import { foreignText, graphAddress, pageOf } from './shown-text.ts';
import { table } from './statement-table.ts';

const thingsAtOnce = 10;
const groups: readonly (readonly [SearchGroup, string])[] = [
  ['artefacts', 'Artefacts'],
  ['computations', 'Computations'],
  ['people', 'People'],
  ['graphs', 'Graphs and projects'],
  ['agents', 'Agents'],
];
const words: Readonly<Record<string, string>> = {
  file: 'File or data',
  folder: 'Folder',
  entity: 'Entity',
  actor: 'Actor',
  graph: 'Graph',
  agent: 'Agent',
};

const q = (new URLSearchParams(location.search).get('q') ?? '').trim();
const place = part('results');

async function load(): Promise<void> {
  const found = await ask({});
  const sections = groups.flatMap(([group, title]) => {
    const { items = [], next_cursor: next } = found[group] ?? {};
    return items.length > 0 || next !== undefined ? [section(group, title, items, next)] : [];
  });
  const nothing = element('p', {}, `Nothing that you may see is found by this. ${searchAdvice(q)}`);
  place.replaceChildren(...(sections.length > 0 ? sections : [nothing]));
  part('announcements').textContent =
    sections.length > 0 ? counted(sections.length, 'group of results', 'groups of results') : 'Nothing found';
}

async function ask(more: Record<string, string>): Promise<FoundThingsAnswer> {
  const query = new URLSearchParams({ q, limit: String(thingsAtOnce), ...more });
  return await askJson(`/search/v1?${query}`);
}

function section(
  group: SearchGroup,
  title: string,
  items: readonly ThingAnswer[],
  next: string | undefined,
): HTMLElement {
  const heading = `${group}-heading`;
  const isStated = items.some(({ graph, timestamp }) => graph !== null || timestamp !== null);
  const heads = ['Name', 'What it is', ...(isStated ? ['Graph', 'When'] : [])];
  const shown = [...items];
  const content = element('div', {});
  const show = (cursor: string | undefined) => {
    const more = button('Show more', () => void showMore(cursor ?? '', more));
    content.replaceChildren(
      table(
        title,
        heads,
        shown.map((one) => cells(one).slice(0, heads.length)),
      ),
      ...(cursor === undefined ? [] : [element('p', { class: 'pages' }, more)]),
    );
  };
  const showMore = async (cursor: string, more: HTMLButtonElement) => {
    more.disabled = true;
    try {
      const { items: added = [], next_cursor: after } = (await ask({ group, cursor }))[group] ?? {};
      const first = shown.length;
      shown.push(...added);
      show(after);
      content.querySelectorAll<HTMLElement>('tbody th a')[first]?.focus();
    } catch (error) {
      more.replaceWith(...failureParts(error, {}, () => show(cursor)));
    }
  };
  show(next);
  return element('section', { 'aria-labelledby': heading }, element('h2', { id: heading }, title), content);
}

function cells({
  id,
  name,
  other_names: others,
  type,
  page,
  folder,
  graph,
  timestamp,
}: ThingAnswer): (Node | string)[] {
  const short = element('code', { class: 'quiet' }, harmless(shortId(id)));
  const link = { href: page, title: harmless(bareId(id), 2_000) };
  const called =
    name === null ? [element('a', link, short)] : [element('a', link, foreignText(name)), ' ', short];
  const within =
    folder === undefined ? [] : [element('span', { class: 'also quiet' }, 'in ', folderLink(folder))];
  const also = others.flatMap((other, at) => [at === 0 ? 'also ' : ', ', foreignText(other, 80)]);
  return [
    element(
      'span',
      {},
      ...called,
      ...within,
      also.length > 0 && element('span', { class: 'also quiet' }, ...also),
    ),
    words[type] ?? kindLabel(type),
    graph ? element('a', { href: graphAddress(graph.graph_id) }, foreignText(graph.name)) : '',
    timestamp === null ? '' : when(timestamp),
  ];
}

function folderLink({ collection, name }: NonNullable<ThingAnswer['folder']>): HTMLElement {
  const link = { href: pageOf(collection), title: collection };
  return element('a', link, name === null ? `folder ${shortId(collection)}` : foreignText(name, 80));
}

if (q === '') document.querySelector<HTMLElement>('#search')?.focus();
else void loading(load, place);
