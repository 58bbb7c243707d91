import { announce, element } from './element.ts';

/** A full identifier with a button that copies it. `what` completes the name of the button. */
export function copyable(text: string, what: string): HTMLElement {
  const code = element('code', {}, text);
  const copyButton = element(
    'button',
    { type: 'button', class: 'copy', 'aria-label': `Copy ${what}`, click: () => copy(code, copyButton) },
    'Copy',
  );
  return element('span', { class: 'copyable' }, code, copyButton);
}

export async function copy(code: HTMLElement, copyButton: HTMLElement): Promise<void> {
  try {
    await navigator.clipboard.writeText(code.textContent ?? '');
    copyButton.textContent = 'Copied';
    announce('Copied.');
  } catch {
    // Without a secure context or permission, the user can still copy the selection with the keyboard.
    getSelection()?.selectAllChildren(code);
    copyButton.textContent = 'Ctrl+C';
    announce('Selected. Press Ctrl+C to copy.');
  }
  setTimeout(() => {
    copyButton.textContent = 'Copy';
  }, 2_000);
}
