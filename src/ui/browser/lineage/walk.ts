import type { Point } from './drawing/layout.ts';
import { otherEnd } from './graph.ts';
import type { ShownEdge } from './shown.ts';

/** The target of an arrow key: left and right to the nearest node along the edges, up and down within the column. */
export function walked(
  key: string,
  id: string,
  places: ReadonlyMap<string, Point>,
  edges: readonly ShownEdge[],
): string | undefined {
  const here = places.get(id);
  if (!here) return undefined;
  const isUpright = key === 'ArrowUp' || key === 'ArrowDown';
  const forwards = key === 'ArrowRight' || key === 'ArrowDown' ? 1 : -1;
  const linked = edges.filter(({ from, to }) => from === id || to === id).map((edge) => otherEnd(edge, id));
  const candidates = (isUpright ? [...places.keys()] : linked).flatMap((other) => {
    const there = places.get(other);
    if (!there || other === id) return [];
    const across = Math.abs(isUpright ? there.x - here.x : there.y - here.y);
    const along = forwards * (isUpright ? there.y - here.y : there.x - here.x);
    return along > 0 && (!isUpright || across < 1) ? [{ other, along, across }] : [];
  });
  const [nearest] = candidates.sort((a, b) => a.along - b.along || a.across - b.across);
  return nearest?.other;
}
