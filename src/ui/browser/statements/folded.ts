import { sentenceOf } from '../api.ts';
import { element } from '../element.ts';

/** Text that is loaded when the reader opens it. */
export function folded(title: string, load: () => Promise<string>): HTMLElement {
  const content = element('div', {});
  const open = async () => {
    if (!made.open || content.querySelector('pre')) return;
    try {
      content.replaceChildren(element('pre', { tabindex: '0' }, await load()));
    } catch (error) {
      content.replaceChildren(element('p', { role: 'alert' }, sentenceOf(error)));
    }
  };
  const made = element('details', { toggle: () => void open() }, element('summary', {}, title), content);
  return made;
}
