import { Failure, sentenceOf } from './api.ts';
import { button, element, part } from './element.ts';

/** What to do next on pages about statements, by the status of an answer. */
const statementAdvices: Readonly<Record<number, string>> = {
  401: 'This service asks for an access token, and a page has none. On the command line, run “cairn login” and then “cairn graph list” or “cairn lineage”.',
  403: 'Ask an administrator of the project for the permission to view it.',
  404: 'Check the identifier. It may be stored elsewhere, or you may not see it.',
};

/**
 * What is wrong, what to do next, and a button that tries again if that can help.
 * @param advices what to do next, by the status of an answer.
 */
export function failureParts(
  error: unknown,
  advices: Readonly<Record<number, string>>,
  retry: () => void,
): Node[] {
  const status = error instanceof Failure ? error.status : 500;
  const canPass = status === 0 || status === 429 || status >= 500;
  const advice = advices[status];
  return [
    element('p', { role: 'alert' }, sentenceOf(error)),
    ...(advice === undefined ? [] : [element('p', {}, advice)]),
    ...(canPass ? [button('Try again', retry)] : []),
  ];
}

/** Runs the loading of a page, and shows why it fails. */
export async function loading(load: () => Promise<void>, place: HTMLElement): Promise<void> {
  try {
    part('problem').replaceChildren();
    await load();
  } catch (error) {
    place.querySelector('.waiting')?.remove();
    const retry = () => void loading(load, place);
    part('problem').replaceChildren(...failureParts(error, statementAdvices, retry));
  } finally {
    place.removeAttribute('aria-busy');
  }
}
