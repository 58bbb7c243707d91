import { element } from '../element.js';
import { bareId } from '../words.js';
import { copyable } from './copying.js';
import { askStatement } from './lineage-api.js';

/**
 * A statement that is loaded when the user opens it.
 * @param {string} title
 * @param {string} id
 */
export function jsonOnDemand(title, id) {
  const content = element('div', { class: 'json' });
  const made = element('details', {}, element('summary', {}, title), content);
  made.addEventListener('toggle', async () => {
    if (!made.open || content.childElementCount > 0) return;
    content.replaceChildren(copyable(bareId(id), 'the statement id'));
    try {
      content.append(element('pre', { tabindex: '0' }, JSON.stringify(await askStatement(id), undefined, 2)));
    } catch (error) {
      content.replaceChildren(
        element('p', { role: 'alert' }, error instanceof Error ? error.message : String(error)),
      );
    }
  });
  return made;
}
