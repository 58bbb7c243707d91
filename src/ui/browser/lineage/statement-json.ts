import { bareId } from '../../../contract/words/text.ts';
import { askJson, sentenceOf } from '../api.ts';
import { copyable } from '../copying.ts';
import { element } from '../element.ts';
import { statementAddress } from './lineage-api.ts';

/** A statement that is loaded when the user opens it. */
export function jsonOnDemand(title: string, id: string): HTMLElement {
  const content = element('div', { class: 'json' });
  let isLoaded = false;
  const load = async () => {
    if (!made.open || isLoaded) return;
    isLoaded = true;
    content.replaceChildren(copyable(bareId(id), 'the statement id'));
    try {
      const json = JSON.stringify(await askJson(statementAddress(id)), undefined, 2);
      content.append(element('pre', { tabindex: '0' }, json));
    } catch (error) {
      content.replaceChildren(element('p', { role: 'alert' }, sentenceOf(error)));
      isLoaded = false;
    }
  };
  const made = element('details', { toggle: load }, element('summary', {}, title), content);
  return made;
}
