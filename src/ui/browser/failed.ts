import { Failure, sentenceOf } from './api.ts';
import { button, element } from './element.ts';

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
