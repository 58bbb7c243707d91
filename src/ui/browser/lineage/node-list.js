/** @import { Graph } from './graph.js' */
/** @import { Names } from './names.js' */
import { element, part } from '../element.js';
import { bareId, shortId } from '../words.js';
import { symbol, symbolOf } from './drawing/symbols.js';
import { kindWords } from './kinds.js';

const mostRows = 200;

/** All nodes as a list with a field that searches it; for whoever does not want the drawing, or cannot see it. */
export class NodeList {
  #filter = part('filter', HTMLInputElement);
  #list = part('nodes', HTMLElement);
  #note = part('nodes-note', HTMLElement);
  #select;
  /** @type {{ graph: Graph, names: Names, selected: string | undefined } | undefined} */
  #shown;

  /** @param {(id: string) => void} select */
  constructor(select) {
    this.#select = select;
    this.#filter.addEventListener('input', () => this.#fill());
  }

  /**
   * @param {Graph} graph
   * @param {Names} names
   * @param {string | undefined} selected
   */
  show(graph, names, selected) {
    this.#shown = { graph, names, selected };
    this.#fill();
  }

  #fill() {
    if (!this.#shown) return;
    const { graph, names, selected } = this.#shown;
    const wanted = this.#filter.value.trim().toLowerCase();
    const rows = [...graph.nodes.values()]
      .map((node) => ({ node, title: names.titleOf(graph, node) }))
      .filter(({ node, title }) =>
        `${title} ${kindWords(node)} ${bareId(node.id)}`.toLowerCase().includes(wanted),
      );
    const focused = this.#list.contains(document.activeElement)
      ? document.activeElement?.getAttribute('data-id')
      : null;
    this.#list.replaceChildren(
      ...rows.slice(0, mostRows).map(({ node, title }) =>
        element(
          'li',
          {},
          element(
            'button',
            {
              type: 'button',
              class: 'link',
              'data-id': node.id,
              'aria-current': node.id === selected && 'true',
              click: () => this.#select(node.id),
            },
            symbol(symbolOf(node)),
            element('span', { class: 'title' }, title),
            element('span', { class: 'subtitle' }, `${kindWords(node)} ${shortId(node.id)}`),
          ),
        ),
      ),
    );
    if (focused)
      this.#list.querySelector(/** @type {'button'} */ (`[data-id="${CSS.escape(focused)}"]`))?.focus();
    const first = rows.length > mostRows ? `the first ${mostRows} of ` : '';
    this.#note.textContent = `${first}${rows.length} of ${graph.nodes.size}`;
  }
}
