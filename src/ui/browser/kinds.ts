import type { ShownKind, ShownKinds } from '../../contract/words/kinds.ts';
import { drawn } from './element.ts';

const place = document.querySelector<HTMLElement>('[data-kinds]');
export const shownKinds: ShownKinds = JSON.parse(place?.dataset.kinds ?? '');

/** Each kind of node has its own shape, so colours are not needed to distinguish them. */
const shapes: Readonly<Record<string, string>> = {
  artefact: 'M4 2 h6 l4 4 v10 h-10 Z M10 2 v4 h4',
  actor: 'M12.5 6 a3.5 3.5 0 1 1 -7 0 a3.5 3.5 0 1 1 7 0 Z M2.5 16 a6.5 6.5 0 0 1 13 0 Z',
  statement: 'M2.5 3 h13 v9 h-7 l-3.5 3.5 v-3.5 h-2.5 Z M5.5 6 h7 M5.5 9 h5',
  stack: 'M3 6 h12 v10 h-12 Z M5 3.5 h8 M7 1.5 h4',
};

interface Shown {
  readonly kind: string;
  readonly type?: string;
}

export function kindOf(type: string): ShownKind | undefined {
  return Object.hasOwn(shownKinds.kinds, type) ? shownKinds.kinds[type] : undefined;
}

/** The kind of a statement in words. Kinds of other vocabularies have only their name. */
export function kindLabel(type: string): string {
  return kindOf(type)?.label ?? words(type.replace(/Registration$/, ''));
}

/** The kind of a node in words. */
export function kindWords({ kind, type = '' }: Shown): string {
  if (kind === 'artefact') return 'Artefact';
  if (kind === 'actor') return 'Actor';
  return kindOf(type)?.label ?? (type.replace(/Registration$/, '') || 'Statement');
}

/** The name of the symbol of a node. */
export function symbolOf({ kind, type = '' }: Shown): string {
  return kind === 'statement' && kindOf(type)?.symbol ? type : kind;
}

/** @param name of a shape, or the type of a statement. */
export function symbol(name: string): SVGElement {
  const shape = Object.hasOwn(shapes, name) ? shapes[name] : shapes.statement;
  const path = drawn('path', { d: kindOf(name)?.symbol ?? shape ?? '' });
  const size = { viewBox: '0 0 18 18', width: '18', height: '18' };
  return drawn('svg', { ...size, 'aria-hidden': 'true', class: 'symbol', 'data-symbol': name }, path);
}

/** "executedOn" as "Executed on". The last part of an IRI stands for it. */
export function words(name: string): string {
  const last = name.split(/[/#:]/).findLast((text) => text !== '') ?? name;
  const spaced = last.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  if (spaced === 'did') return 'DID';
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
