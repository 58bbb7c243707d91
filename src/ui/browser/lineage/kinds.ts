import { part } from '../element.ts';
import type { GraphNode } from './graph.ts';

interface ShownKinds {
  readonly kinds: Readonly<Record<string, { label: string; symbol?: string }>>;
  readonly edges: Readonly<Record<string, string>>;
  readonly roles: Readonly<
    Record<string, { word?: string; document?: { end: 'from' | 'to'; title: string } }>
  >;
}

/** How the kinds are shown. The server writes this into the page. */
export const shownKinds: ShownKinds = JSON.parse(part('lineage').dataset.kinds ?? '');

export function kindWords({ kind, type = '' }: Pick<GraphNode, 'kind' | 'type'>): string {
  if (kind === 'artefact') return 'Artefact';
  if (kind === 'actor') return 'Actor';
  const known = Object.hasOwn(shownKinds.kinds, type) ? shownKinds.kinds[type] : undefined;
  return known?.label ?? (type.replace(/Registration$/, '') || 'Statement');
}
