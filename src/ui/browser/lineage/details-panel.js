/** @import { Graph } from './graph.js' */
/** @import { Names } from './names.js' */
/** @import { ShownNode } from './shown.js' */

import { element, part } from '../element.js';
import { details } from './details.js';
import { legend, summary } from './drawing/legend.js';
import { NodeList } from './node-list.js';
import { stackDetails } from './stack-details.js';

/**
 * @typedef {object} PanelContent
 * @property {Graph} graph
 * @property {Names} names
 * @property {ReadonlyMap<string, ShownNode>} shown
 * @property {string | undefined} selected
 * @property {(id: string) => boolean} isAsked
 */

/** The panel beside the drawing. */
export class DetailsPanel {
  #details = part('details', HTMLElement);
  #find;
  #expand;
  #list;
  /** @type {PanelContent | undefined} */
  #panel;

  /** @param {{ find: (id: string) => void, expand: (id: string) => void }} events */
  constructor({ find, expand }) {
    this.#find = find;
    this.#expand = expand;
    this.#list = new NodeList(find);
  }

  /** @param {PanelContent} panel */
  show(panel) {
    this.#panel = panel;
    const { graph, names, shown, selected } = panel;
    part('legend', HTMLElement).replaceChildren(...legend(graph));
    part('summary', HTMLElement).textContent = summary(
      graph,
      [...shown.values()].filter(({ stack }) => !stack).length,
    );
    this.#list.show(graph, names, selected);
    const isReading = this.#details.contains(document.activeElement);
    this.#details.replaceChildren(...this.#content(panel));
    // Following a link from node to node keeps the focus in the details.
    if (isReading) this.#details.querySelector('h2')?.focus();
    this.#nameStart(panel);
  }

  /** Updates names that have arrived, unless the user is working in the details. */
  refresh() {
    if (!this.#panel) return;
    const { graph, names, selected } = this.#panel;
    this.#list.show(graph, names, selected);
    this.#nameStart(this.#panel);
    const isInUse =
      this.#details.contains(document.activeElement) || this.#details.querySelector('details[open]');
    if (!isInUse) this.#details.replaceChildren(...this.#content(this.#panel));
  }

  /** @param {PanelContent} panel */
  #content({ graph, names, shown, selected = '', isAsked }) {
    const reading = { graph, names, isAsked, select: this.#find, expand: this.#expand };
    const node = graph.nodes.get(selected);
    const stack = shown.get(selected)?.stack;
    if (node) return details(node, reading);
    if (stack) return stackDetails(stack, reading);
    return [element('p', { class: 'hint' }, 'Choose a node to read what is known of it.')];
  }

  /** @param {PanelContent} panel */
  #nameStart({ graph, names }) {
    const start = graph.nodes.get(graph.start);
    if (!start) return;
    const name = names.titleOf(graph, start);
    part('heading', HTMLElement).textContent = `Lineage of ${name}`;
    document.title = `Lineage of ${name} · Cairn`;
  }
}
