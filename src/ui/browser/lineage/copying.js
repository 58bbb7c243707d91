import { announce } from '../announce.js';
import { element } from '../element.js';

/**
 * A full identifier with a button that copies it.
 * @param {string} text
 * @param {string} what it is, for the button's name
 */
export function copyable(text, what) {
  const code = element('code', {}, text);
  const button = element('button', { type: 'button', class: 'copy', 'aria-label': `Copy ${what}` }, 'Copy');
  button.addEventListener('click', () => copy(code, button));
  return element('span', { class: 'copyable' }, code, button);
}

/**
 * @param {HTMLElement} code
 * @param {HTMLElement} button
 */
export async function copy(code, button) {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    button.textContent = 'Copied';
    announce('Copied.');
  } catch {
    // Without a secure context or permission, the user can still copy the selection with the keyboard.
    getSelection()?.selectAllChildren(code);
    button.textContent = 'Ctrl+C';
    announce('Selected. Press Ctrl+C to copy.');
  }
  setTimeout(() => {
    button.textContent = 'Copy';
  }, 2_000);
}
