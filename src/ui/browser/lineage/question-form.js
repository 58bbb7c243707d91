/** @import { Question } from './question.js' */
import { part } from '../element.js';
import { addressWith, depthIn, questionIn } from './question.js';

/** Keeps the controls and the address of the page in sync. */
export class QuestionForm {
  #form = part('question', HTMLFormElement);

  /** @param {(question: Question, before: Question | undefined) => void} changed without `before` everything must be loaded again */
  constructor(changed) {
    this.#form.addEventListener('submit', (event) => event.preventDefault());
    this.#form.addEventListener('change', () => {
      const before = this.question;
      history.pushState(null, '', addressWith(new URL(location.href), this.#read(before)));
      this.#show();
      changed(this.question, before);
    });
    addEventListener('popstate', () => {
      this.#show();
      changed(this.question, undefined);
    });
    this.#show();
  }

  get question() {
    return questionIn(new URL(location.href));
  }

  /** @param {Question} before @returns {Question} */
  #read(before) {
    const fields = new FormData(this.#form);
    const direction = /** @type {Question['direction']} */ (fields.get('direction'));
    return { ...before, direction, depth: depthIn(String(fields.get('depth'))), whole: fields.has('facts') };
  }

  #show() {
    const { direction, depth, whole } = this.question;
    const radios = this.#form.elements.namedItem('direction');
    if (radios instanceof RadioNodeList) radios.value = direction;
    part('depth', HTMLInputElement).value = String(depth);
    part('facts', HTMLInputElement).checked = whole;
  }
}
