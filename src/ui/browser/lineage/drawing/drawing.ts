import { allMarks, trustMark } from '../../../../contract/words/trust.ts';
import { trustBadge } from '../../badge.ts';
import { button, drawn, element } from '../../element.ts';
import { shownKinds, symbol } from '../../kinds.ts';
import type { Picture, ShownEdge, ShownNode } from '../shown.ts';
import type { Caption } from './captions.ts';
import { type LabelPlace, labelPlaces } from './label-places.ts';
import { type Label, labelText, labelWidth } from './labels.ts';
import { type Layout, nodeSize, type Point } from './layout.ts';
import { arrow, lineKind, linePath } from './lines.ts';

interface DrawingEvents {
  readonly select: (id: string) => void;
  readonly toggle: (id: string) => void;
}

/** Nodes as HTML elements with focusable buttons, above edges as SVG lines. */
export class Drawing {
  readonly #world;
  readonly #events;
  readonly #lines = drawn('g', {});
  /** Above all lines. */
  readonly #texts = drawn('g', {});
  readonly #nodes = new Map<string, ReturnType<typeof nodeParts>>();
  places: ReadonlyMap<string, Point> = new Map();
  edges: readonly ShownEdge[] = [];

  constructor(world: HTMLElement, events: DrawingEvents) {
    this.#world = world;
    this.#events = events;
    world.prepend(
      drawn('svg', { class: 'lines', 'aria-hidden': 'true' }, arrowheads(), this.#lines, this.#texts),
    );
  }

  draw(picture: Picture, labels: ReadonlyMap<ShownEdge, Label>, layout: Layout): void {
    const { nodes, edges } = picture;
    const { places, paths } = layout;
    this.places = places;
    this.edges = edges;
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, { box }] of this.#nodes) {
      if (ids.has(id)) continue;
      box.remove();
      this.#nodes.delete(id);
    }
    for (const node of nodes) this.#place(node, places.get(node.id) ?? { x: 0, y: 0 });
    this.#lines.replaceChildren(...edges.map((edge) => line(edge, labels.get(edge), paths.get(edge) ?? [])));
    this.#texts.replaceChildren(
      ...[...labelPlaces(picture, layout, (edge) => labelWidth(labels.get(edge)))].flatMap(
        ([edge, place]) => {
          const label = labels.get(edge);
          return label ? [text(edge, label, place)] : [];
        },
      ),
    );
  }

  write(id: string, caption: Caption): void {
    const node = this.#nodes.get(id);
    if (!node) return;
    const { title, subtitle, symbol: shape, name, rest, trust, hasMetadata, isUnnamed } = caption;
    node.title.textContent = title;
    node.title.classList.toggle('unnamed', isUnnamed);
    node.subtitle.textContent = subtitle;
    node.rest.textContent = rest;
    node.card.title = name;
    node.trust.hidden = trust === undefined;
    node.trust.replaceChildren(...(trust ? [trustBadge(trust)] : []));
    node.described.hidden = !hasMetadata;
    node.box.dataset.mark = trust ? trustMark(trust) : '';
    if (node.box.dataset.symbol === shape) return;
    node.box.dataset.symbol = shape;
    node.icon.replaceChildren(symbol(shape));
  }

  /** Selects a node and makes it the target of the Tab key. */
  mark(id: string | undefined, start: string): void {
    const reachable = id !== undefined && this.#nodes.has(id) ? id : start;
    for (const [at, { box, card }] of this.#nodes) {
      box.classList.toggle('selected', at === id);
      box.classList.toggle('start', at === start);
      card.tabIndex = at === reachable ? 0 : -1;
      card.ariaCurrent = at === id ? 'true' : null;
    }
    for (const path of this.#lines.children as Iterable<Element> as Iterable<SVGElement>) {
      const { from, to } = path.dataset;
      path.classList.toggle('near', from === id || to === id);
    }
  }

  focus(id: string): void {
    this.#nodes.get(id)?.card.focus({ preventScroll: true });
  }

  /** The node that contains an element. */
  nodeAt(target: EventTarget | null): string | undefined {
    if (!(target instanceof Element)) return undefined;
    return target.closest('.node')?.getAttribute('data-id') ?? undefined;
  }

  #place({ id, more, isOpen, stack }: ShownNode, { x, y }: Point): void {
    const known = this.#nodes.get(id);
    const parts = known ?? nodeParts(id, this.#events);
    if (!known) {
      this.#nodes.set(id, parts);
      this.#world.append(parts.box);
    }
    parts.box.style.transform = `translate(${x - nodeSize.width / 2}px, ${y - nodeSize.height / 2}px)`;
    parts.box.classList.toggle('stack', stack !== undefined);
    parts.more.hidden = more === 0 && !isOpen;
    parts.more.textContent = more === 0 ? '−' : `+${more}`;
    parts.more.ariaLabel = more === 0 ? 'Fold' : `Show ${more} more`;
  }
}

function nodeParts(id: string, { select, toggle }: DrawingEvents) {
  const [icon, title, subtitle, rest] = ['icon', 'title', 'subtitle', 'unseen'].map((name) =>
    element('span', { class: name }),
  ) as [HTMLElement, HTMLElement, HTMLElement, HTMLElement];
  const card = button('', () => select(id), { class: 'card', tabindex: '-1', dblclick: () => toggle(id) });
  const described = element('span', { class: 'described', title: 'Its metadata is in the details' });
  card.append(icon, title, ' ', subtitle, described, ' ', rest);
  const more = button('', () => toggle(id), { class: 'more', tabindex: '-1' });
  // The name of the card already says the mark.
  const trust = element('span', { class: 'marks', 'aria-hidden': 'true' });
  const box = element('div', { class: 'node', 'data-id': id }, card, trust, more);
  return { box, card, icon, title, subtitle, described, rest, trust, more };
}

function line(edge: ShownEdge, label: Label | undefined, points: readonly Point[]): SVGElement {
  const kind = lineKind(edge);
  const marks = new Set(edge.edges.map(({ trust }) => trustMark(trust)));
  const mark = allMarks.findLast((one) => marks.has(one)) ?? 'claimed';
  const group = drawn(
    'g',
    { class: `line ${kind} ${mark}`, 'data-from': edge.from, 'data-to': edge.to },
    arrow(kind, linePath(points), mark === 'revoked' || mark === 'retracted' ? 'revoked' : kind),
  );
  if (label) group.prepend(drawn('title', {}, label.title));
  return group;
}

function text({ from, to }: ShownEdge, label: Label, { x, y, anchor }: LabelPlace): SVGElement {
  const at = { x: String(x), y: String(y), 'text-anchor': anchor };
  return drawn(
    'text',
    { ...at, 'data-from': from, 'data-to': to },
    labelText(label),
    drawn('title', {}, label.title),
  );
}

function arrowheads(): SVGElement {
  const shape = { viewBox: '0 0 8 8', refX: '7', refY: '4', markerWidth: '8', markerHeight: '8' };
  const heads = [...Object.keys(shownKinds.edges), 'revoked'].map((kind) =>
    drawn(
      'marker',
      { id: `arrow-${kind}`, class: `line ${kind}`, ...shape, markerUnits: 'userSpaceOnUse', orient: 'auto' },
      drawn('path', { class: 'head', d: 'M0 0.5 L8 4 L0 7.5 Z' }),
    ),
  );
  return drawn('defs', {}, ...heads);
}
