import { Failure, sentenceOf } from '../api.ts';
import { button, element, part } from '../element.ts';

/** What to do next, by the status of an answer. */
const advices: Readonly<Record<number, string>> = {
  401: 'The service accepts only bearer tokens, and a page has none. On the command line, run “cairn login” and then “cairn lineage” with the same identifier.',
  403: 'Only users with the permission can see it.',
  404: 'Check the identifier, try both directions, or store statements that refer to it.',
};

/** Shows what is wrong and what to do. Offers to try again if that can help. */
export function showFailure(error: unknown, retry: () => void): void {
  const status = error instanceof Failure ? error.status : 500;
  const canPass = status === 0 || status === 429 || status >= 500;
  show('alert', sentenceOf(error), advices[status], canPass ? [button('Try again', retry)] : []);
}

/** Shows that nothing but the start can be drawn. */
export function showNothingBeside(): void {
  const message = 'Nothing is known to lead to it or away from it in this direction.';
  show('status', message, 'Another direction may show more.', []);
}

export function hideNotice(): void {
  part('notice').hidden = true;
}

function show(role: string, message: string, advice: string | undefined, actions: readonly Node[]): void {
  const notice = part('notice');
  notice.hidden = false;
  notice.replaceChildren(
    element('p', { role }, message),
    ...(advice === undefined ? [] : [element('p', {}, advice)]),
    ...actions,
  );
}
