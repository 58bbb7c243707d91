import { drawn } from '../../element.js';

/** Each kind of node has a shape of its own, so that nobody has to tell colours apart. */
const shapes = /** @type {Record<string, [string, Record<string, string>][]>} */ ({
  artefact: [
    ['path', { d: 'M4 2 h6 l4 4 v10 h-10 Z' }],
    ['path', { d: 'M10 2 v4 h4' }],
  ],
  actor: [
    ['circle', { cx: '9', cy: '6', r: '3.5' }],
    ['path', { d: 'M2.5 16 a6.5 6.5 0 0 1 13 0 Z' }],
  ],
  computation: [
    ['path', { d: 'M9 1.5 l6.5 3.75 v7.5 l-6.5 3.75 l-6.5 -3.75 v-7.5 Z' }],
    ['path', { d: 'M7 6 l4.5 3 l-4.5 3 Z' }],
  ],
  credential: [
    ['circle', { cx: '9', cy: '7', r: '5' }],
    ['path', { d: 'M6 11.5 v5 l3 -2 l3 2 v-5' }],
  ],
  statement: [
    ['path', { d: 'M2.5 3 h13 v9 h-7 l-3.5 3.5 v-3.5 h-2.5 Z' }],
    ['path', { d: 'M5.5 6 h7 M5.5 9 h5' }],
  ],
  stack: [
    ['path', { d: 'M3 6 h12 v10 h-12 Z' }],
    ['path', { d: 'M5 3.5 h8 M7 1.5 h4' }],
  ],
});

/**
 * @param {{ kind: string, type?: string }} node
 * @returns {string}
 */
export function symbolOf({ kind, type }) {
  if (kind !== 'statement') return kind;
  if (type === 'ComputationRegistration') return 'computation';
  return type === 'CredentialRegistration' ? 'credential' : 'statement';
}

/** @param {string} name */
export function symbol(name) {
  const parts = (shapes[name] ?? []).map(([tag, attributes]) => drawn(tag, attributes));
  return drawn(
    'svg',
    { viewBox: '0 0 18 18', width: '18', height: '18', 'aria-hidden': 'true', class: `symbol ${name}` },
    ...parts,
  );
}
