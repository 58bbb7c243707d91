import { drawn } from '../../element.ts';
import { isFlow, type ShownEdge } from '../shown.ts';
import type { Point } from './layout.ts';

/** Each kind of edge has its own dashes, so colours are not needed to distinguish them. */
const dashes: Readonly<Record<string, string>> = {
  registration: '6 4',
  operation: '10 3 2 3',
  metadata: '2 3',
  storage: '2 3 8 3',
  governance: '12 4',
  reference: '4 4 1 4',
};

/** A line with an arrowhead. `d` is the path. */
export function arrow(kind: string, d: string, head = kind): SVGElement {
  const dash = dashes[kind] ?? 'none';
  return drawn('path', { d, 'marker-end': `url(#arrow-${head})`, 'stroke-dasharray': dash });
}

export function lineKind({ edges }: ShownEdge): string {
  return (edges.find(isFlow) ?? edges[0])?.kind ?? 'reference';
}

/** A smooth line that starts and ends horizontally. */
export function linePath(points: readonly Point[]): string {
  const [first, ...others] = points;
  if (!first) return '';
  let before = first;
  const curves = others.map((point) => {
    const middle = (before.x + point.x) / 2;
    const curve = `C ${middle} ${before.y} ${middle} ${point.y} ${point.x} ${point.y}`;
    before = point;
    return curve;
  });
  return `M ${first.x} ${first.y} ${curves.join(' ')}`;
}
