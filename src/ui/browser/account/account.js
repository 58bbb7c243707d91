/** @import { Me } from './access-api.js' */

import { announce } from '../announce.js';
import { Failure } from '../api.js';
import { element, part } from '../element.js';
import { moment } from '../words.js';
import { askMe, signOut } from './access-api.js';
import { UserTable } from './user-table.js';

/** Tells the other tabs of this browser that somebody has signed out. */
const tabs = new BroadcastChannel('cairn-session');
const signInAddress = `/ui/sign-in?${new URLSearchParams({ return_to: '/ui/account' })}`;
/** Whoever's clock is ahead of the service's asks no oftener. */
const shortestTimerMs = 60_000;
const longestTimerMs = 2 ** 31 - 1;

/** The page: who is signed in, until they are no more. */
class AccountPage {
  #account = part('account', HTMLElement);
  #users = new UserTable(() => void this.load());
  /** Of whom the page speaks. */
  #shown = '';
  /** @type {number | undefined} */
  #timer;
  /** Counts what was asked and done: only the last answer is shown. */
  #turn = 0;

  constructor() {
    tabs.addEventListener('message', () => void this.load());
    document.addEventListener('visibilitychange', () => {
      if (document.visibilityState === 'visible') void this.load();
    });
  }

  async load() {
    this.#turn += 1;
    const turn = this.#turn;
    this.#account.setAttribute('aria-busy', 'true');
    try {
      const me = await askMe();
      if (turn === this.#turn) this.#show(me);
    } catch (error) {
      if (turn === this.#turn) this.#failed(error);
    } finally {
      if (turn === this.#turn) this.#account.removeAttribute('aria-busy');
    }
  }

  /** @param {Me} me */
  #show(me) {
    const { expires_at } = me.session ?? {};
    window.clearTimeout(this.#timer);
    if (expires_at !== undefined) this.#loadAt(Date.parse(expires_at));
    const shown = JSON.stringify([me.issuer, me.subject, me.role]);
    // Somebody may be at the button: it stays as long as it is theirs.
    if (shown === this.#shown) return this.#renew(me);
    this.#shown = shown;
    this.#account.replaceChildren(facts(me), ...this.#actions(me));
    this.#users.open(me.role === 'admin' && me.means === 'session' ? me : undefined);
  }

  /** @param {Me} me */
  #renew(me) {
    this.#account.querySelector('[role="alert"]')?.remove();
    this.#account.querySelector('dl')?.replaceWith(facts(me));
  }

  /** At its end the session is over for certain; asking before would keep it alive. @param {number} time */
  #loadAt(time) {
    const wait = Math.min(Math.max(time - Date.now() + 1_000, shortestTimerMs), longestTimerMs);
    this.#timer = window.setTimeout(() => void this.load(), wait);
  }

  /** @param {Me} me */
  #actions({ means }) {
    if (means !== 'session') return [];
    return [
      element('button', { type: 'button', id: 'sign-out', click: () => void this.#signOut() }, 'Sign out'),
    ];
  }

  async #signOut() {
    this.#turn += 1;
    try {
      await signOut();
    } catch (error) {
      if (!(error instanceof Failure && error.status === 401)) return this.#failed(error);
    }
    this.#signedOut('You are signed out.');
    tabs.postMessage('signed out');
    part('sign-in-again', HTMLElement).focus();
  }

  /** @param {string} sentence */
  #signedOut(sentence) {
    window.clearTimeout(this.#timer);
    this.#account.removeAttribute('aria-busy');
    this.#shown = '';
    this.#users.open(undefined);
    this.#account.replaceChildren(
      element('p', {}, sentence),
      element('a', { class: 'choice', id: 'sign-in-again', href: signInAddress }, 'Sign in'),
    );
    announce(sentence);
  }

  /** @param {unknown} error */
  #failed(error) {
    const status = error instanceof Failure ? error.status : 500;
    if (status === 401) return this.#signedOut('Nobody is signed in.');
    this.#account.querySelector('[role="alert"]')?.remove();
    this.#account.prepend(
      element('p', { role: 'alert' }, error instanceof Error ? error.message : String(error)),
    );
    if (this.#shown === '')
      this.#account.append(element('button', { type: 'button', click: () => void this.load() }, 'Try again'));
  }
}

/** @param {Me} me */
function facts({ means, user, subject, issuer, role, session }) {
  if (means === 'disabled')
    return element('p', {}, 'Authentication is disabled: whoever reaches this service may do everything.');
  /** @type {[string, string | null | undefined][]} */
  const rows = [
    ['Name', user?.name],
    ['E-mail', user?.email],
    ['Role', role === 'admin' ? 'administrator' : 'member'],
    ['Known as', `${subject} at ${issuer}`],
    ['Signed in until', session && moment(session.expires_at)],
    ['If idle, until', session && moment(session.idle_expires_at)],
  ];
  return element(
    'dl',
    {},
    ...rows.flatMap(([term, value]) => (value ? [element('dt', {}, term), element('dd', {}, value)] : [])),
  );
}

void new AccountPage().load();
