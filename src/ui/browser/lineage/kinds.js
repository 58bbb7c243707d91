/** @import { GraphNode } from './graph.js' */
/** @import { ShownKinds } from '../../../domain/integrity/kinds/shown.ts' */
import { part } from '../element.js';

/** What the service says of kinds. The server writes it into the page. */
export const shownKinds = /** @type {ShownKinds} */ (
  JSON.parse(part('lineage', HTMLElement).dataset.kinds ?? '')
);

/** @param {Pick<GraphNode, 'kind' | 'type'>} node */
export function kindWords({ kind, type = '' }) {
  if (kind === 'artefact') return 'Artefact';
  if (kind === 'actor') return 'Actor';
  const known = Object.hasOwn(shownKinds.kinds, type) ? shownKinds.kinds[type] : undefined;
  return known?.label ?? (type.replace(/Registration$/, '') || 'Statement');
}
