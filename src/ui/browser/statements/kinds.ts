import { drawn, part } from '../element.ts';

interface ReadableKind {
  readonly label: string;
  readonly symbol?: string;
  readonly verb: string;
  readonly ends?: { readonly from: string; readonly to: string };
  readonly members: Readonly<Record<string, { readonly meaning?: string; readonly document?: string }>>;
}

const kinds: Readonly<Record<string, ReadableKind>> = JSON.parse(part('page').dataset.kinds ?? '{}');
const noteSymbol = 'M2.5 3 h13 v9 h-7 l-3.5 3.5 v-3.5 h-2.5 Z M5.5 6 h7 M5.5 9 h5';

export function kindOf(type: string): ReadableKind | undefined {
  return Object.hasOwn(kinds, type) ? kinds[type] : undefined;
}

/** The kind in words. Kinds of other vocabularies have only their name. */
export function kindLabel(type: string): string {
  return kindOf(type)?.label ?? words(type.replace(/Registration$/, ''));
}

export function kindSymbol(type: string): SVGElement {
  const size = { viewBox: '0 0 18 18', width: '18', height: '18' };
  const path = drawn('path', { d: kindOf(type)?.symbol ?? noteSymbol });
  return drawn('svg', { ...size, 'aria-hidden': 'true', class: 'symbol', 'data-symbol': type }, path);
}

/** "executedOn" as "Executed on". The last part of an IRI stands for it. */
export function words(name: string): string {
  const last = name.split(/[/#:]/).findLast((text) => text !== '') ?? name;
  const spaced = last.replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ').toLowerCase();
  return spaced.charAt(0).toUpperCase() + spaced.slice(1);
}
