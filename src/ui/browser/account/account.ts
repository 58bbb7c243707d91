import { ask, sentenceOf } from '../api.ts';
import { announce, part } from '../element.ts';
import { replaceContent } from '../session.ts';
import { localTimes } from '../times.ts';

/** Limits the requests of a browser whose clock is ahead. */
const shortestTimerMs = 60_000;
const longestTimerMs = 2 ** 31 - 1;

let timer: number | undefined;
/** Counts the refreshes, because only the last answer is shown. */
let turn = 0;

/** Shows the content as the server renders it now, and keeps the focus. */
async function refresh() {
  turn += 1;
  const own = turn;
  try {
    const text = await (await ask(location.href)).text();
    if (own !== turn) return;
    replaceContent(text);
    prepare();
  } catch (error) {
    if (own === turn) complain(error);
  }
}

/** Writes times in the reader's locale, and refreshes after the session has ended. A refresh before would prolong it. */
function prepare() {
  localTimes();
  window.clearTimeout(timer);
  const { until } = part('content').dataset;
  if (!until) return;
  const wait = Date.parse(until) - Date.now() + 1_000;
  timer = window.setTimeout(refresh, Math.min(Math.max(wait, shortestTimerMs), longestTimerMs));
}

async function changeUser({ user = '', change = '', done = '', ask: question }: DOMStringMap) {
  if (question && !window.confirm(question)) return;
  try {
    const headers = { 'content-type': 'application/json' };
    await ask(`/v1/users/${encodeURIComponent(user)}`, { method: 'PATCH', headers, body: change });
    await refresh();
    announce(done);
  } catch (error) {
    complain(error);
  }
}

function complain(error: unknown) {
  part('problem').textContent = sentenceOf(error);
}

document.addEventListener('click', ({ target }) => {
  const clicked = target instanceof Element ? target.closest('button') : null;
  if (clicked?.dataset.user) void changeUser(clicked.dataset);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh();
});
prepare();
