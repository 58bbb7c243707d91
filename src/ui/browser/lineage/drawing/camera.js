/** @import { Place } from './layout.js' */
import Panzoom from '@panzoom/panzoom';
import { nodeSize } from './layout.js';

const scales = { least: 0.05, most: 2.5 };
/** Text is unreadable below this scale. Then the first view shows the start instead of everything. */
const readable = 0.55;
const closeUp = 0.7;
const margin = 32;
const panStep = 80;
const zoomStep = 1.25;

/** The visible part and scale of a drawing. Wheel, pinch and drag change them. */
export class Camera {
  #view;
  #panzoom;

  /**
   * @param {HTMLElement} view the viewport
   * @param {HTMLElement} world the moved element, which has no size
   */
  constructor(view, world) {
    this.#view = view;
    this.#panzoom = Panzoom(world, {
      canvas: true,
      cursor: '',
      overflow: 'clip',
      minScale: scales.least,
      maxScale: scales.most,
      handleStartEvent: () => undefined,
      pinchAndPan: true,
      animate: false,
    });
    view.addEventListener('wheel', (event) => this.#wheel(event), { passive: false });
    world.addEventListener('panzoomchange', () => this.#tell());
  }

  get scale() {
    return this.#panzoom.getScale();
  }

  zoomIn() {
    this.#zoom(zoomStep);
  }

  zoomOut() {
    this.#zoom(1 / zoomStep);
  }

  /** @param {number} factor */
  #zoom(factor) {
    const { left, top, width, height } = this.#view.getBoundingClientRect();
    const point = { clientX: left + width / 2, clientY: top + height / 2 };
    this.#panzoom.zoomToPoint(this.scale * factor, point);
  }

  /**
   * Fits the whole drawing.
   * @param {Iterable<Place>} places
   */
  fit(places) {
    const box = boxOf([...places]);
    const { clientWidth: width, clientHeight: height } = this.#view;
    const scale = Math.min((width - 2 * margin) / box.width, (height - 2 * margin) / box.height, 1);
    this.#look({ x: box.x + box.width / 2, y: box.y + box.height / 2 }, scale);
  }

  /**
   * The first view: everything if it is readable, otherwise the surroundings of one node.
   * @param {ReadonlyMap<string, Place>} places
   * @param {string} id
   */
  open(places, id) {
    this.fit(places.values());
    const place = places.get(id);
    if (place && this.scale < readable) this.#look(place, closeUp);
  }

  /**
   * Moves as little as is needed to show a node.
   * @param {Place | undefined} place
   */
  reveal(place) {
    if (!place) return;
    const { x, y } = place;
    const pan = this.#panzoom.getPan();
    const { clientWidth, clientHeight } = this.#view;
    const [width, height] = [clientWidth / this.scale, clientHeight / this.scale];
    const edge = margin / this.scale;
    this.#panzoom.pan(
      nearest(pan.x, nodeSize.width / 2 + edge - x, width - nodeSize.width / 2 - edge - x),
      nearest(pan.y, nodeSize.height / 2 + edge - y, height - nodeSize.height / 2 - edge - y),
    );
  }

  /** @param {KeyboardEvent} event @returns {boolean} whether the key was handled */
  key({ key, shiftKey }) {
    const arrow = shiftKey ? arrows[key] : undefined;
    if (arrow) {
      const [x, y] = arrow.map((steps) => (steps * panStep) / this.scale);
      this.#panzoom.pan(x ?? 0, y ?? 0, { relative: true });
    } else if (key === '+' || key === '=') this.zoomIn();
    else if (key === '-' || key === '_') this.zoomOut();
    else return false;
    return true;
  }

  /** @param {Place} place @param {number} scale */
  #look({ x, y }, scale) {
    this.#panzoom.zoom(scale);
    const { clientWidth, clientHeight } = this.#view;
    this.#panzoom.pan(clientWidth / 2 / this.scale - x, clientHeight / 2 / this.scale - y);
  }

  /** @param {WheelEvent} event */
  #wheel(event) {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30;
    // Browsers report a pinch on a touchpad as a wheel with Ctrl, in small steps.
    const speed = event.ctrlKey ? 0.01 : 0.0015;
    this.#panzoom.zoomToPoint(this.scale * Math.exp(-pixels * speed), event);
  }

  #tell() {
    this.#view.classList.toggle('far', this.scale < readable);
  }
}

/** Movements of the drawing by arrow key. */
const arrows = /** @type {Record<string, [number, number]>} */ ({
  ArrowLeft: [1, 0],
  ArrowRight: [-1, 0],
  ArrowUp: [0, 1],
  ArrowDown: [0, -1],
});

/** @param {Place[]} places */
function boxOf(places) {
  const xs = places.map(({ x }) => x);
  const ys = places.map(({ y }) => y);
  const [x, y] = [Math.min(...xs) - nodeSize.width / 2, Math.min(...ys) - nodeSize.height / 2];
  return {
    x,
    y,
    width: Math.max(...xs) + nodeSize.width / 2 - x,
    height: Math.max(...ys) + nodeSize.height / 2 - y,
  };
}

/** @param {number} value @param {number} least @param {number} most */
function nearest(value, least, most) {
  return Math.max(Math.min(value, most), least);
}
