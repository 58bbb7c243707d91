/** @import { Place } from './layout.js' */
/** @import { ShownEdge } from '../shown.js' */
import { isFlow } from '../shown.js';

/** What edges of a kind say, for the legend. */
export const edgeMeanings = /** @type {Record<string, string>} */ ({
  computation: 'went into, came out of, or was used by a computation',
  association: 'is associated with',
  storage: 'is stored on',
  metadata: 'is described by',
  governance: 'is governed by',
  credential: 'is vouched for by',
  registration: 'registered',
  operation: 'operated',
  reference: 'refers to',
});

/** @param {ShownEdge} edge */
export function lineKind({ edges }) {
  return (edges.find(isFlow) ?? edges[0])?.kind ?? 'reference';
}

/** What stands on a line. Inputs and outputs are told by their direction alone. @param {ShownEdge} edge */
export function lineLabel({ edges }) {
  const words = edges
    .filter((edge) => !isFlow(edge))
    .map(({ role, type }) => type ?? roleWords[role] ?? role);
  const isUnverified = edges.some(({ unverified }) => unverified);
  const text = [...new Set(words), ...(isUnverified ? ['unverified'] : [])].join(', ');
  return text.length > 24 ? `${text.slice(0, 23)}…` : text;
}

const roleWords = /** @type {Record<string, string>} */ ({
  data: 'registered',
  entity: 'registered',
  did: 'registered',
  registeredBy: 'registered',
  operatedBy: 'operated',
  executedOn: 'machine',
  computation: 'program',
});

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
