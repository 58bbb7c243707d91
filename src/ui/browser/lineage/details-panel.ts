import { element, part } from '../element.ts';
import { details, type Reading, stackDetails } from './details.ts';
import { legend, summary } from './drawing/legend.ts';
import { Governance } from './governance.ts';
import { NodeList } from './node-list.ts';
import type { ShownNode } from './shown.ts';

interface PanelContent extends Reading {
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
}

/** The panel beside the drawing. */
export class DetailsPanel {
  readonly #details = part('details');
  readonly #list = new NodeList();
  readonly #governance = new Governance();
  #panel: PanelContent | undefined;

  show(panel: PanelContent) {
    this.#panel = panel;
    const drawnNodes = panel.shown.values().filter(({ stack }) => !stack);
    part('legend').replaceChildren(...legend(panel.graph));
    part('summary').textContent = summary(panel.graph, [...drawnNodes].length);
    const isReading = this.#details.contains(document.activeElement);
    this.#write(panel);
    void this.#governance.show(panel.selected ?? panel.graph.start);
    // Following a link from node to node keeps the focus in the details.
    if (isReading) this.#details.querySelector('h2')?.focus();
  }

  /** Updates names that have arrived, unless the user is working in the details. */
  refresh() {
    const isInUse =
      this.#details.contains(document.activeElement) || this.#details.querySelector('details[open]');
    if (this.#panel) this.#write(this.#panel, !isInUse);
  }

  #write(panel: PanelContent, withDetails = true) {
    this.#list.show(panel, panel.selected);
    if (withDetails) this.#details.replaceChildren(...contentOf(panel, this.#governance.box));
    nameStart(panel);
  }
}

function contentOf({ shown, selected = '', ...reading }: PanelContent, governance: Node): Node[] {
  const node = reading.graph.nodes.get(selected);
  const stack = shown.get(selected)?.stack;
  if (node) return details(node, reading, governance);
  if (stack) return stackDetails(stack, reading);
  return [element('p', { class: 'hint' }, 'Choose a node to see its details.')];
}

function nameStart({ graph, names }: PanelContent) {
  if (!graph.nodes.has(graph.start)) return;
  const heading = `Lineage of ${names.titleOf(graph, graph.start)}`;
  part('heading').textContent = heading;
  document.title = `${heading} · Cairn`;
}
