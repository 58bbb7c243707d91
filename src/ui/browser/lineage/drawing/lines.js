/** @import { Place } from './layout.js' */
/** @import { ShownEdge } from '../shown.js' */
import { shownKinds } from '../kinds.js';
import { isFlow } from '../shown.js';

/** @param {ShownEdge} edge */
export function lineKind({ edges }) {
  return (edges.find(isFlow) ?? edges[0])?.kind ?? 'reference';
}

/** What stands on a line. Inputs and outputs are told by their direction alone. @param {ShownEdge} edge */
export function lineLabel({ edges }) {
  const words = edges
    .filter((edge) => !isFlow(edge))
    .map(({ role, type }) => type ?? shownKinds.roles[role]?.word ?? role);
  const isUnverified = edges.some(({ unverified }) => unverified);
  const text = [...new Set(words), ...(isUnverified ? ['unverified'] : [])].join(', ');
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

/**
 * A line that leaves and arrives level, and passes smoothly where it bends.
 * @param {Place[]} points
 */
export function linePath(points) {
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
