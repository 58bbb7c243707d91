import { ask, sentenceOf } from '../api.ts';

/** Shows bodies and attestations as text when the reader opens them. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if (target instanceof HTMLDetailsElement && target.open && target.dataset.bytes) void load(target);
  },
  { capture: true },
);

async function load(details: HTMLDetailsElement): Promise<void> {
  const pre = details.querySelector('pre');
  const { bytes: address = '' } = details.dataset;
  delete details.dataset.bytes;
  if (!pre) return;
  try {
    pre.textContent = indented(await (await ask(address)).text());
  } catch (error) {
    pre.textContent = sentenceOf(error);
    details.dataset.bytes = address;
  }
}

function indented(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}
