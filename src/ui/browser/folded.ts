import { sentenceOf } from './api.ts';
import { element } from './element.ts';

/** Text that is loaded when the reader opens it. @param known is shown above it at once. */
export function folded(title: string, load: () => Promise<string>, ...known: Node[]): HTMLElement {
  const content = element('div', {});
  let isLoaded = false;
  const open = async () => {
    if (!made.open || isLoaded) return;
    isLoaded = true;
    content.replaceChildren(...known);
    try {
      content.append(element('pre', { tabindex: '0' }, await load()));
    } catch (error) {
      content.replaceChildren(element('p', { role: 'alert' }, sentenceOf(error)));
      isLoaded = false;
    }
  };
  const made = element('details', { toggle: () => void open() }, element('summary', {}, title), content);
  return made;
}
