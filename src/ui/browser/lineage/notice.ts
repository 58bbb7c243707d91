import { element, part } from '../element.ts';
import { failureParts } from '../failed.ts';

/** What to do next, by the status of an answer. */
const advices: Readonly<Record<number, string>> = {
  401: 'The service accepts only bearer tokens, and a page has none. On the command line, run “cairn login” and then “cairn lineage” with the same identifier.',
  403: 'Only users with the permission can see it.',
  404: 'Check the identifier, try both directions, or store statements that refer to it.',
};

/** Shows what is wrong and what to do. Offers to try again if that can help. */
export function showFailure(error: unknown, retry: () => void): void {
  show(failureParts(error, advices, retry));
}

/** Shows that nothing but the start can be drawn. */
export function showNothingBeside(): void {
  show([
    element('p', { role: 'status' }, 'Nothing is known to lead to it or away from it in this direction.'),
    element('p', {}, 'Another direction may show more.'),
  ]);
}

export function hideNotice(): void {
  part('notice').hidden = true;
}

function show(parts: readonly Node[]): void {
  const notice = part('notice');
  notice.hidden = false;
  notice.replaceChildren(...parts);
}
