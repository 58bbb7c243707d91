import Panzoom from '@panzoom/panzoom';
import { nodeSize, type Point } from './layout.ts';

const scales = { least: 0.05, most: 2.5 };
/** Text is unreadable below this scale. Then the first view shows the start instead of everything. */
const readable = 0.75;
const margin = 12;
/** Above a node are its badges. */
const badges = 20;
const panStep = 80;
const zoomStep = 1.25;

/** Movements of the drawing by arrow key. */
const arrows: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [panStep, 0],
  ArrowRight: [-panStep, 0],
  ArrowUp: [0, panStep],
  ArrowDown: [0, -panStep],
};

/** The visible part and scale of a drawing. Wheel, pinch and drag change them. */
export class Camera {
  readonly #view;
  readonly #panzoom;

  /** @param world the element that moves in the view. It has no size. */
  constructor(view: HTMLElement, world: HTMLElement) {
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
    world.addEventListener('panzoomchange', () => view.classList.toggle('far', this.#scale < readable));
  }

  get #scale(): number {
    return this.#panzoom.getScale();
  }

  zoomIn(): void {
    this.#zoom(zoomStep);
  }

  zoomOut(): void {
    this.#zoom(1 / zoomStep);
  }

  /** Fits the whole drawing. */
  fit(places: Iterable<Point>): void {
    const { left, right, top, bottom } = boundsOf([...places]);
    this.#look({ x: (left + right) / 2, y: (top + bottom) / 2 }, this.#scaleFor(right - left, bottom - top));
  }

  /** The first view: everything if it is readable, otherwise the surroundings of one node. */
  open(places: ReadonlyMap<string, Point>, id: string): void {
    this.fit(places.values());
    const place = places.get(id);
    if (!place || this.#scale >= readable) return;
    const { clientWidth, clientHeight } = this.#view;
    const { left, right, top, bottom } = boundsOf([...places.values()]);
    // Does not show more empty space beside the drawing than needed.
    const near = (at: number, from: number, to: number, size: number) => {
      const half = (size / 2 - margin) / readable;
      return to - from < 2 * half ? (from + to) / 2 : Math.max(from + half, Math.min(at, to - half));
    };
    const [x, y] = [near(place.x, left, right, clientWidth), near(place.y, top, bottom, clientHeight)];
    this.#look({ x, y }, readable);
  }

  /** Moves as little as is needed to show a node. */
  reveal(place: Point | undefined): void {
    if (!place) return;
    const { x, y } = this.#panzoom.getPan();
    const { clientWidth, clientHeight } = this.#view;
    const within = (pan: number, at: number, size: number, viewSize: number) => {
      const edge = margin / this.#scale + size / 2;
      return Math.max(Math.min(pan, viewSize / this.#scale - edge - at), edge - at);
    };
    this.#panzoom.pan(
      within(x, place.x, nodeSize.width, clientWidth),
      within(y, place.y, nodeSize.height, clientHeight),
    );
  }

  /** @returns whether the key was handled. */
  key({ key, shiftKey }: KeyboardEvent): boolean {
    const arrow = shiftKey ? arrows[key] : undefined;
    if (arrow) this.#panzoom.pan(arrow[0] / this.#scale, arrow[1] / this.#scale, { relative: true });
    else if (key === '+' || key === '=') this.zoomIn();
    else if (key === '-' || key === '_') this.zoomOut();
    else return false;
    return true;
  }

  #scaleFor(width: number, height: number): number {
    const { clientWidth, clientHeight } = this.#view;
    return Math.min((clientWidth - 2 * margin) / width, (clientHeight - 2 * margin) / height, 1);
  }

  #zoom(factor: number): void {
    const { left, top, width, height } = this.#view.getBoundingClientRect();
    const point = { clientX: left + width / 2, clientY: top + height / 2 };
    this.#panzoom.zoomToPoint(this.#scale * factor, point);
  }

  #look({ x, y }: Point, scale: number): void {
    this.#panzoom.zoom(scale);
    const { clientWidth, clientHeight } = this.#view;
    this.#panzoom.pan(clientWidth / 2 / this.#scale - x, clientHeight / 2 / this.#scale - y);
  }

  #wheel(event: WheelEvent): void {
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * 30;
    // Browsers report a pinch on a touchpad as a wheel with Ctrl, in small steps.
    const speed = event.ctrlKey ? 0.01 : 0.0015;
    this.#panzoom.zoomToPoint(this.#scale * Math.exp(-pixels * speed), event);
  }
}

/** The rectangle around nodes. */
function boundsOf(places: readonly Point[]) {
  const [xs, ys] = [places.map(({ x }) => x), places.map(({ y }) => y)];
  return {
    left: Math.min(...xs) - nodeSize.width / 2,
    right: Math.max(...xs) + nodeSize.width / 2,
    top: Math.min(...ys) - nodeSize.height / 2 - badges,
    bottom: Math.max(...ys) + nodeSize.height / 2,
  };
}
