import { part } from './element.js';

/**
 * Tells people who do not see the page what has changed on it.
 * @param {string} text
 */
export function announce(text) {
  part('announcements', HTMLElement).textContent = text;
}
