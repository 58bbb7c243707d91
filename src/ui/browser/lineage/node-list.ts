import { bareId, shortId } from '../../../contract/words/text.ts';
import { markLabel } from '../../../contract/words/trust.ts';
import { trustBadge } from '../badge.ts';
import { button, element, part } from '../element.ts';
import { kindWords, symbol, symbolOf } from '../kinds.ts';
import { timeElement } from '../times.ts';
import type { Reading } from './details.ts';
import type { GraphNode } from './graph.ts';
import { timeOf, titleOf } from './titles.ts';

const mostRows = 200;

/** A searchable list of all nodes, as an alternative to the drawing. */
export class NodeList {
  readonly #filter = part('filter', HTMLInputElement);
  readonly #list = part('nodes');
  #fill = () => {};

  constructor() {
    this.#filter.addEventListener('input', () => this.#fill());
  }

  show(reading: Reading, selected: string | undefined): void {
    this.#fill = () => this.#write(reading, selected);
    this.#fill();
  }

  #write({ graph, select }: Reading, selected: string | undefined): void {
    const wanted = this.#filter.value.trim().toLowerCase();
    const rows = [...graph.nodes.values()]
      .map((node) => ({ node, title: titleOf(graph, node.id) }))
      .filter(({ node, title }) =>
        `${title} ${wordsOf(node)} ${bareId(node.id)}`.toLowerCase().includes(wanted),
      );
    const focused = document.activeElement?.closest('#nodes button')?.getAttribute('data-id');
    this.#list.replaceChildren(
      ...rows
        .slice(0, mostRows)
        .map(({ node, title }) => row(node, title, timeOf(graph, node.id), selected, select)),
    );
    if (focused) this.#list.querySelector<HTMLElement>(`[data-id="${CSS.escape(focused)}"]`)?.focus();
    const first = rows.length > mostRows ? `the first ${mostRows} of ` : '';
    part('nodes-note').textContent = `${first}${rows.length} of ${graph.nodes.size}`;
  }
}

/** The kind of a node, whether it failed, and its mark. */
function wordsOf(node: GraphNode): string {
  return [kindWords(node), node.failed && 'failed', markLabel(node.trust)].filter(Boolean).join(', ');
}

function row(
  node: GraphNode,
  title: string,
  timestamp: string | undefined,
  selected: string | undefined,
  select: (id: string) => void,
) {
  const time = timestamp === undefined ? '' : timeElement(timestamp);
  const mark = node.trust && markLabel(node.trust) ? trustBadge(node.trust) : '';
  const current = { 'aria-current': node.id === selected && 'true' };
  const choose = button('', () => select(node.id), { class: 'link', 'data-id': node.id, ...current });
  choose.append(
    symbol(symbolOf(node)),
    element('span', { class: 'title' }, title),
    element('span', { class: 'subtitle' }, shortId(node.id)),
    element('span', { class: 'by' }, kindWords(node), ' ', time, ' ', mark),
  );
  return element('li', {}, choose);
}
