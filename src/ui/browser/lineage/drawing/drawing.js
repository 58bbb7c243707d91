/** @import { Caption } from './captions.js' */
/** @import { Place } from './layout.js' */
/** @import { ShownEdge, ShownNode } from '../shown.js' */
import { drawn, element } from '../../element.js';
import { shownKinds } from '../kinds.js';
import { nodeSize } from './layout.js';
import { lineKind, lineLabel, linePath } from './lines.js';
import { symbol } from './symbols.js';

/**
 * @typedef {object} DrawingEvents
 * @property {(id: string) => void} select
 * @property {(id: string) => void} toggle
 */

/** The nodes as elements, with buttons that can be focused, over the edges as lines. */
export class Drawing {
  #world;
  #lines;
  #events;
  /** @type {Map<string, ReturnType<typeof nodeParts>>} */
  #nodes = new Map();
  /** @type {ReadonlyMap<string, Place>} */
  places = new Map();
  /** @type {readonly ShownEdge[]} */
  edges = [];

  /**
   * @param {HTMLElement} world
   * @param {DrawingEvents} events
   */
  constructor(world, events) {
    this.#world = world;
    this.#events = events;
    this.#lines = drawn('g', {});
    world.prepend(drawn('svg', { class: 'lines', 'aria-hidden': 'true' }, arrowheads(), this.#lines));
  }

  /**
   * @param {{ nodes: ShownNode[], edges: ShownEdge[] }} shown
   * @param {{ places: Map<string, Place>, paths: Map<ShownEdge, Place[]> }} layout
   */
  draw({ nodes, edges }, { places, paths }) {
    this.places = places;
    this.edges = edges;
    const ids = new Set(nodes.map(({ id }) => id));
    for (const [id, { box }] of this.#nodes) {
      if (ids.has(id)) continue;
      box.remove();
      this.#nodes.delete(id);
    }
    for (const node of nodes) this.#place(node, places.get(node.id) ?? { x: 0, y: 0 });
    this.#lines.replaceChildren(...edges.map((edge) => line(edge, edges, paths.get(edge) ?? [])));
  }

  /**
   * @param {string} id
   * @param {Caption} caption
   */
  write(id, { title, subtitle, symbol: shape, name, rest }) {
    const node = this.#nodes.get(id);
    if (!node) return;
    node.title.textContent = title;
    node.subtitle.textContent = subtitle;
    node.rest.textContent = rest;
    node.card.title = name;
    if (node.box.dataset.symbol === shape) return;
    node.box.dataset.symbol = shape;
    node.icon.replaceChildren(symbol(shape));
  }

  /**
   * Marks a node, and makes it the one that the Tab key leads to.
   * @param {string | undefined} id
   * @param {string} start
   */
  mark(id, start) {
    const reachable = id !== undefined && this.#nodes.has(id) ? id : start;
    for (const [at, { box, card }] of this.#nodes) {
      box.classList.toggle('selected', at === id);
      box.classList.toggle('start', at === start);
      card.tabIndex = at === reachable ? 0 : -1;
      if (at === id) card.setAttribute('aria-current', 'true');
      else card.removeAttribute('aria-current');
    }
    for (const path of this.#lines.children) {
      const { from, to } = /** @type {SVGElement} */ (path).dataset;
      path.classList.toggle('near', from === id || to === id);
    }
  }

  /** @param {string} id */
  focus(id) {
    this.#nodes.get(id)?.card.focus({ preventScroll: true });
  }

  /** @param {EventTarget | null} target @returns {string | undefined} the node that has the focus */
  nodeAt(target) {
    return target instanceof Element
      ? (target.closest('.node')?.getAttribute('data-id') ?? undefined)
      : undefined;
  }

  /**
   * @param {ShownNode} node
   * @param {Place} place
   */
  #place({ id, more, isOpen, stack }, { x, y }) {
    const isNew = !this.#nodes.has(id);
    const parts = this.#nodes.get(id) ?? nodeParts(id, this.#events);
    if (isNew) {
      this.#nodes.set(id, parts);
      this.#world.append(parts.box);
    }
    parts.box.style.transform = `translate(${x - nodeSize.width / 2}px, ${y - nodeSize.height / 2}px)`;
    parts.box.classList.toggle('stack', stack !== undefined);
    parts.more.hidden = more === 0 && !isOpen;
    parts.more.textContent = more === 0 ? '−' : `+${more}`;
    parts.more.setAttribute('aria-label', more === 0 ? 'Fold' : `Show ${more} more`);
  }
}

/**
 * @param {string} id
 * @param {DrawingEvents} events
 */
function nodeParts(id, { select, toggle }) {
  const icon = element('span', { class: 'icon' });
  const title = element('span', { class: 'title' });
  const subtitle = element('span', { class: 'subtitle' });
  const rest = element('span', { class: 'unseen' });
  const card = element(
    'button',
    { type: 'button', class: 'card', tabindex: '-1' },
    icon,
    title,
    ' ',
    subtitle,
    ' ',
    rest,
  );
  const more = element('button', { type: 'button', class: 'more', tabindex: '-1' });
  card.addEventListener('click', () => select(id));
  card.addEventListener('dblclick', () => toggle(id));
  more.addEventListener('click', () => toggle(id));
  const box = element('div', { class: 'node', 'data-id': id }, card, more);
  return { box, card, icon, title, subtitle, rest, more };
}

/**
 * @param {ShownEdge} edge
 * @param {readonly ShownEdge[]} edges
 * @param {Place[]} points
 */
function line(edge, edges, points) {
  const kind = lineKind(edge);
  const group = drawn(
    'g',
    { class: `line ${kind}`, 'data-from': edge.from, 'data-to': edge.to },
    drawn('path', { d: linePath(points), 'marker-end': `url(#arrow-${kind})` }),
  );
  const [first, last] = [points.at(0), points.at(-1)];
  const text = lineLabel(edge);
  if (text === '' || !first || !last) return group;
  // Where many lines meet at one end their words would cover each other; at the other end they do not.
  const isFan =
    edges.filter(({ to }) => to === edge.to).length > edges.filter(({ from }) => from === edge.from).length;
  const place = isFan
    ? { x: String(first.x + 6), y: String(first.y - 5), 'text-anchor': 'start' }
    : { x: String(last.x - 14), y: String(last.y - 5), 'text-anchor': 'end' };
  group.append(drawn('text', place, text));
  return group;
}

function arrowheads() {
  const heads = Object.keys(shownKinds.edges).map((kind) =>
    drawn(
      'marker',
      {
        id: `arrow-${kind}`,
        class: `line ${kind}`,
        viewBox: '0 0 8 8',
        refX: '7',
        refY: '4',
        markerWidth: '8',
        markerHeight: '8',
        markerUnits: 'userSpaceOnUse',
        orient: 'auto',
      },
      drawn('path', { class: 'head', d: 'M0 0.5 L8 4 L0 7.5 Z' }),
    ),
  );
  return drawn('defs', {}, ...heads);
}
