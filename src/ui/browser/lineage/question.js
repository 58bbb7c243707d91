import { bareId } from '../words.js';

/**
 * The parameters of a lineage. They are in the address of the page, so a link contains all of them.
 * @typedef {object} Question
 * @property {'upstream' | 'downstream' | 'both'} direction
 * @property {number} depth
 * @property {string | null} graphId
 * @property {boolean} whole whether all edges are drawn
 */

export const depthDefault = 10;
const depthLimit = 100;
const directions = /** @type {const} */ (['upstream', 'downstream', 'both']);

/**
 * @param {URL} address
 * @returns {Question} with defaults for missing and invalid parameters
 */
export function questionIn({ searchParams }) {
  const given = searchParams.get('direction');
  return {
    direction: directions.find((direction) => direction === given) ?? 'both',
    depth: depthIn(searchParams.get('depth') ?? ''),
    graphId: searchParams.get('graph_id'),
    whole: searchParams.get('facts') === 'all',
  };
}

/** @param {string} text */
export function depthIn(text) {
  return /^\d{1,3}$/.test(text) ? Math.min(Number(text), depthLimit) : depthDefault;
}

/**
 * @param {URL} address
 * @param {Question} question
 * @returns {URL} the same page with other parameters
 */
export function addressWith(address, { direction, depth, whole }) {
  const url = new URL(address);
  setOrLeaveOut(url, 'direction', direction, 'both');
  setOrLeaveOut(url, 'depth', String(depth), String(depthDefault));
  setOrLeaveOut(url, 'facts', whole ? 'all' : '', '');
  return url;
}

/**
 * The page of another identifier with the same parameters.
 * @param {URL} address
 * @param {string} id
 */
export function addressOf(address, id) {
  const url = new URL(address);
  url.pathname = `/ui/lineage/${encodeURIComponent(bareId(id))}`;
  url.hash = '';
  return url;
}

/**
 * @param {URL} url
 * @param {string} name
 * @param {string} value
 * @param {string} usual
 */
function setOrLeaveOut(url, name, value, usual) {
  if (value === usual) url.searchParams.delete(name);
  else url.searchParams.set(name, value);
}
