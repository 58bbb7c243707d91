import type { Picture, ShownEdge } from '../shown.ts';
import { type Layout, nodeSize, type Point } from './layout.ts';

/** The place of a text on its baseline. */
export interface LabelPlace extends Point {
  readonly anchor: 'start' | 'middle' | 'end';
}

interface Box {
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
}

const ascent = 13;
const descent = 4;
/** Above a node are its badges. */
const badges = 15;
/** Parts of a line, the best for a text first. */
const along = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

/**
 * Places texts beside their lines so that none is over another one or over a node. A text without space has no place.
 * @param widthOf the text of a line; 0 without one.
 */
export function labelPlaces(
  { nodes, edges }: Picture,
  { places, paths, labels: middles }: Layout,
  widthOf: (edge: ShownEdge) => number,
): ReadonlyMap<ShownEdge, LabelPlace> {
  const taken = nodes.flatMap(({ id }) => {
    const place = places.get(id);
    return place ? [boxOfNode(place)] : [];
  });
  const found = new Map<ShownEdge, LabelPlace>();
  for (const edge of edges) {
    const width = widthOf(edge);
    if (width === 0) continue;
    const candidates = candidatesFor(edge, edges, paths.get(edge) ?? [], middles.get(edge));
    const free = candidates.find((place) => {
      const box = boxOf(place, width);
      return !taken.some((other) => areOver(box, other));
    });
    if (!free) continue;
    found.set(edge, free);
    taken.push(boxOf(free, width));
  }
  return found;
}

function candidatesFor(
  edge: ShownEdge,
  edges: readonly ShownEdge[],
  path: readonly Point[],
  middle: Point | undefined,
): LabelPlace[] {
  const [first, last] = [path.at(0), path.at(-1)];
  if (!first || !last) return [];
  const best: LabelPlace = middle
    ? { x: middle.x, y: middle.y - 6, anchor: 'middle' }
    : beside(edge, edges, first, last);
  const others = along.flatMap((share) => {
    const { x, y } = pointOn(path, share);
    return [y - 6, y + 15].map((side): LabelPlace => ({ x, y: side, anchor: 'middle' }));
  });
  return [best, ...others];
}

/** The place of a text at the end with fewer lines, on the side that the line does not come from. */
function beside(edge: ShownEdge, edges: readonly ShownEdge[], first: Point, last: Point): LabelPlace {
  const isFan =
    edges.filter(({ to }) => to === edge.to).length > edges.filter(({ from }) => from === edge.from).length;
  const [at, other, space] = isFan ? [first, last, 6] : [last, first, 12];
  const isLeft = at.x < other.x || (at.x === other.x && isFan);
  return {
    x: isLeft ? at.x + space : at.x - space,
    y: other.y < at.y ? at.y + 15 : at.y - 6,
    anchor: isLeft ? 'start' : 'end',
  };
}

/** A point on the curves that `linePath` draws. */
function pointOn(path: readonly Point[], share: number): Point {
  const at = Math.min(Math.floor(share * (path.length - 1)), path.length - 2);
  const t = share * (path.length - 1) - at;
  const [from, to] = [path[at], path[at + 1]] as [Point, Point];
  const middle = (from.x + to.x) / 2;
  const [a, b, c] = [(1 - t) ** 3, 3 * t * (1 - t), t ** 3];
  return { x: a * from.x + b * middle + c * to.x, y: from.y + (to.y - from.y) * t * t * (3 - 2 * t) };
}

function boxOf({ x, y, anchor }: LabelPlace, width: number): Box {
  const left = anchor === 'start' ? x : anchor === 'end' ? x - width : x - width / 2;
  return { left, right: left + width, top: y - ascent, bottom: y + descent };
}

function boxOfNode({ x, y }: Point): Box {
  const [width, height] = [nodeSize.width / 2, nodeSize.height / 2];
  return { left: x - width, right: x + width, top: y - height - badges, bottom: y + height };
}

function areOver(one: Box, other: Box): boolean {
  return one.left < other.right && other.left < one.right && one.top < other.bottom && other.top < one.bottom;
}
