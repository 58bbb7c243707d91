import { Failure } from '../api.js';
import { element, part } from '../element.js';

/** What to do next, by the status of an answer. */
const advices = /** @type {Record<number, string>} */ ({
  200: 'Another direction may show more.',
  401: 'The service answers to bearer tokens alone, and a page has none. On the command line, “cairn login” and then “cairn lineage” with the same identifier show it.',
  403: 'Whoever looks at it needs the permission.',
  404: 'Check the identifier, try both directions, or store statements that speak of it.',
});

/**
 * Says over the drawing what is wrong, what to do, and offers to try again where that can help.
 * @param {unknown} error
 * @param {() => void} retry
 */
export function showFailure(error, retry) {
  const status = error instanceof Failure ? error.status : 500;
  const again = element('button', { type: 'button', click: retry }, 'Try again');
  const canPass = status === 0 || status === 429 || status >= 500;
  show(
    'alert',
    error instanceof Error ? error.message : String(error),
    advices[status],
    canPass ? again : undefined,
  );
}

/** Shows that nothing but the start can be drawn. */
export function showNothingBeside() {
  show(
    'status',
    'Nothing is known to lead to it or away from it in this direction.',
    advices[200],
    undefined,
  );
}

export function hideNotice() {
  part('notice', HTMLElement).hidden = true;
}

/**
 * @param {string} role
 * @param {string} message
 * @param {string | undefined} advice
 * @param {HTMLElement | undefined} action
 */
function show(role, message, advice, action) {
  const notice = part('notice', HTMLElement);
  notice.hidden = false;
  notice.replaceChildren(
    element('p', { role }, message),
    ...(advice === undefined ? [] : [element('p', {}, advice)]),
    ...(action ? [action] : []),
  );
}
