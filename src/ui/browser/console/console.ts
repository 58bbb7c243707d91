import { ask, sentenceOf } from '../api.ts';
import { copy } from '../copying.ts';
import { announce, part } from '../element.ts';
import { replaceContent } from '../session.ts';
import { localTimes } from '../times.ts';

/** What all pages of the console do: dialogs that change something, buttons that copy, times of the reader's locale. */
document.addEventListener('click', ({ target }) => {
  const clicked = target instanceof Element ? target.closest('button') : null;
  const { dialog, close, copy: copied } = clicked?.dataset ?? {};
  if (dialog) part(dialog, HTMLDialogElement).showModal();
  if (close) part(close, HTMLDialogElement).close();
  if (copied && clicked) void copy(part(copied), clicked);
});

document.addEventListener('submit', ({ target }) => {
  if (target instanceof HTMLFormElement && target.dataset.action) void change(target);
});

/** Sends the fields of a dialog, and shows the page as it is afterwards. */
async function change(form: HTMLFormElement): Promise<void> {
  const { action = '', done = '' } = form.dataset;
  const opener = document.activeElement;
  try {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify(Object.fromEntries(new FormData(form)));
    await ask(action, { method: 'POST', headers, body });
    part('problem').textContent = '';
    replaceContent(await (await ask(location.href)).text());
    announce(done);
    dispatchEvent(new Event('content'));
  } catch (error) {
    part('problem').textContent = sentenceOf(error);
    if (opener instanceof HTMLElement) opener.focus();
  }
}

localTimes();
