declare const isAnswer: unique symbol;

/** The answer of an operation. */
export type Answered = Response & { readonly [isAnswer]: true };

/**
 * For answers that are not JSON, or JSON that is text or bytes already, which no compiler can compare with what is
 * declared. The tests do.
 */
export function readyAnswer(response: Response): Answered {
  return response as Answered;
}
