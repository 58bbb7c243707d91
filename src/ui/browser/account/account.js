import { announce } from '../announce.js';
import { ask, Failure } from '../api.js';
import { part } from '../element.js';
import { moment } from '../words.js';

/** Tells the other tabs of this browser that somebody has signed out. */
const tabs = new BroadcastChannel('cairn-session');
/** A browser whose clock is ahead asks no more often. */
const shortestTimerMs = 60_000;
const longestTimerMs = 2 ** 31 - 1;

/** @type {number | undefined} */
let timer;
/** Counts the refreshes: only the last answer is shown. */
let turn = 0;

/** Shows the content as the server renders it now, with the focus where it was. */
async function refresh() {
  turn += 1;
  const own = turn;
  try {
    const text = await (await ask(location.href)).text();
    if (own !== turn) return;
    const fresh = new DOMParser().parseFromString(text, 'text/html').getElementById('content');
    const focused = document.activeElement?.id;
    if (fresh) part('content', HTMLElement).replaceWith(fresh);
    prepare();
    if (focused) document.getElementById(focused)?.focus();
  } catch (error) {
    if (own === turn) complain(error);
  }
}

/** Writes times for the reader, and refreshes when the session has ended: asking earlier would prolong it. */
function prepare() {
  for (const time of document.querySelectorAll('time')) time.textContent = moment(time.dateTime);
  window.clearTimeout(timer);
  const { until } = part('content', HTMLElement).dataset;
  if (!until) return;
  const wait = Date.parse(until) - Date.now() + 1_000;
  timer = window.setTimeout(refresh, Math.min(Math.max(wait, shortestTimerMs), longestTimerMs));
}

async function signOut() {
  try {
    await ask('/v1/auth/logout', { method: 'POST', headers: csrf() });
  } catch (error) {
    if (!isSignedOut(error)) return complain(error);
  }
  await refresh();
  tabs.postMessage('signed out');
  document.getElementById('sign-in-again')?.focus();
  announce('You are signed out.');
}

/** @param {HTMLElement} button */
async function changeUser({ dataset: { user = '', change = '', done = '' } }) {
  try {
    const headers = { ...csrf(), 'content-type': 'application/json' };
    await ask(`/v1/users/${encodeURIComponent(user)}`, { method: 'PATCH', headers, body: change });
    await refresh();
    announce(done);
  } catch (error) {
    if (isSignedOut(error)) await refresh();
    else complain(error);
  }
}

/** @param {unknown} error */
function isSignedOut(error) {
  return error instanceof Failure && error.status === 401;
}

/** @param {unknown} error */
function complain(error) {
  part('problem', HTMLElement).textContent = error instanceof Error ? error.message : String(error);
}

/** The token that shows that a page of this site asks: no other can read the cookie. */
function csrf() {
  const [, token = ''] = /(?:^|; )svc_csrf=([^;]*)/.exec(document.cookie) ?? [];
  return { 'x-csrf-token': decodeURIComponent(token) };
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest('button') : null;
  if (button?.id === 'sign-out') void signOut();
  else if (button?.dataset.user) void changeUser(button);
});
document.addEventListener('visibilitychange', () => {
  if (document.visibilityState === 'visible') void refresh();
});
tabs.addEventListener('message', () => void refresh());
prepare();
