import { breakable, element, part } from '../element.ts';
import { details, type Reading, stackDetails } from './details.ts';
import { legend, summary } from './drawing/legend.ts';
import { Governance } from './governance.ts';
import { Metadata } from './metadata.ts';
import { NodeList } from './node-list.ts';
import type { ShownNode } from './shown.ts';
import { titleOf } from './titles.ts';

interface PanelContent extends Reading {
  readonly shown: ReadonlyMap<string, ShownNode>;
  readonly selected: string | undefined;
}

/** The panel beside the drawing. */
export class DetailsPanel {
  readonly #details = part('details');
  readonly #list = new NodeList();
  readonly #governance = new Governance();
  readonly #metadata = new Metadata();

  show(panel: PanelContent) {
    const drawnNodes = panel.shown.values().filter(({ stack }) => !stack);
    part('legend').replaceChildren(...legend(panel.graph));
    part('summary').textContent = summary(panel.graph, [...drawnNodes].length);
    const isReading = this.#details.contains(document.activeElement);
    this.#list.show(panel, panel.selected);
    this.#details.replaceChildren(...contentOf(panel, [this.#metadata.box, this.#governance.box]));
    nameStart(panel);
    void this.#metadata.show(panel.graph, panel.graph.nodes.get(panel.selected ?? ''));
    void this.#governance.show(panel.selected ?? panel.graph.start);
    // Following a link from node to node keeps the focus in the details.
    if (isReading) this.#details.querySelector('h2')?.focus();
  }
}

function contentOf({ shown, selected = '', ...reading }: PanelContent, loaded: readonly Node[]): Node[] {
  const node = reading.graph.nodes.get(selected);
  const stack = shown.get(selected)?.stack;
  if (node) return details(node, reading, loaded);
  if (stack) return stackDetails(stack, reading);
  return [element('p', { class: 'hint' }, 'Choose a node to see its details.')];
}

function nameStart({ graph }: PanelContent) {
  if (!graph.nodes.has(graph.start)) return;
  const heading = `Lineage of ${titleOf(graph, graph.start)}`;
  part('heading').replaceChildren(...breakable(heading));
  document.title = `${heading} · Cairn`;
}
