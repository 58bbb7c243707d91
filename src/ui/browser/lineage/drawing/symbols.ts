import { drawn } from '../../element.ts';
import { shownKinds } from '../kinds.ts';

/** Each kind of node has its own shape, so colours are not needed to distinguish them. */
const shapes: Readonly<Record<string, string>> = {
  artefact: 'M4 2 h6 l4 4 v10 h-10 Z M10 2 v4 h4',
  actor: 'M12.5 6 a3.5 3.5 0 1 1 -7 0 a3.5 3.5 0 1 1 7 0 Z M2.5 16 a6.5 6.5 0 0 1 13 0 Z',
  statement: 'M2.5 3 h13 v9 h-7 l-3.5 3.5 v-3.5 h-2.5 Z M5.5 6 h7 M5.5 9 h5',
  stack: 'M3 6 h12 v10 h-12 Z M5 3.5 h8 M7 1.5 h4',
};

export function symbolOf({ kind, type = '' }: { readonly kind: string; readonly type?: string }): string {
  return kind === 'statement' && shownKinds.kinds[type]?.symbol ? type : kind;
}

export function symbol(name: string): SVGElement {
  const path = drawn('path', { d: shapes[name] ?? shownKinds.kinds[name]?.symbol ?? '' });
  const size = { viewBox: '0 0 18 18', width: '18', height: '18' };
  return drawn('svg', { ...size, 'aria-hidden': 'true', class: 'symbol', 'data-symbol': name }, path);
}
