/** @import { Me, User } from './access-api.js' */

import { announce } from '../announce.js';
import { Failure } from '../api.js';
import { element, part } from '../element.js';
import { moment } from '../words.js';
import { askUsers, changeUser } from './access-api.js';

/** The users, as administrators see and change them. */
export class UserTable {
  #section = part('people', HTMLElement);
  #rows = part('users', HTMLElement);
  #more = part('more-users', HTMLButtonElement);
  #note = part('people-note', HTMLElement);
  #reload;
  /** @type {Me | undefined} */
  #me;
  /** @type {string | undefined} */
  #next;

  /** @param {() => void} reload when the caller is another one than before, or nobody */
  constructor(reload) {
    this.#reload = reload;
    this.#more.addEventListener('click', () => void this.#load());
  }

  /** Shows the users to an administrator, and nothing to anybody else. @param {Me | undefined} me */
  open(me) {
    this.#me = me;
    this.#next = undefined;
    this.#section.hidden = me === undefined;
    this.#rows.replaceChildren();
    this.#note.textContent = '';
    if (me) void this.#load();
  }

  async #load() {
    const me = this.#me;
    this.#more.disabled = true;
    try {
      const { users, next_cursor } = await askUsers(this.#next);
      if (me !== this.#me) return;
      this.#next = next_cursor;
      this.#more.hidden = next_cursor === undefined;
      this.#rows.append(...users.map((user) => this.#row(user)));
    } catch (error) {
      this.#failed(error);
    } finally {
      this.#more.disabled = false;
    }
  }

  /** @param {User} user */
  #row(user) {
    const name = user.email ?? user.name ?? user.subject;
    const isSelf = user.id === this.#me?.user?.id;
    const isAdmin = user.role === 'admin';
    /** @param {string} label @param {string} what @param {Parameters<typeof changeUser>[1]} change */
    const button = (label, what, change) =>
      element(
        'button',
        {
          type: 'button',
          'data-user': user.id,
          'data-change': what,
          'aria-label': `${label}: ${name}`,
          click: () => void this.#change(user, what, change),
        },
        label,
      );
    const role = isAdmin
      ? button('Make member', 'role', { role: 'member' })
      : button('Make administrator', 'role', { role: 'admin' });
    const status = button(user.disabled ? 'Enable' : 'Disable', 'disabled', { disabled: !user.disabled });
    return element(
      'tr',
      { 'data-row': user.id },
      element(
        'th',
        { scope: 'row' },
        name,
        ...(isSelf ? [element('span', { class: 'self' }, ' (you)')] : []),
      ),
      element('td', {}, isAdmin ? 'administrator ' : 'member ', role),
      element('td', {}, user.disabled ? 'disabled ' : 'enabled ', status),
      element('td', {}, element('span', { class: 'narrow' }, 'last signed in '), moment(user.last_login_at)),
    );
  }

  /** @param {User} user @param {string} what @param {Parameters<typeof changeUser>[1]} change */
  async #change(user, what, change) {
    try {
      const changed = await changeUser(user.id, change);
      this.#rows.querySelector(`[data-row="${CSS.escape(user.id)}"]`)?.replaceWith(this.#row(changed));
      /** @type {HTMLElement | null} */
      const button = this.#rows.querySelector(`[data-user="${CSS.escape(user.id)}"][data-change="${what}"]`);
      button?.focus();
      announce(
        `${changed.email ?? changed.subject} is ${changed.disabled ? 'disabled' : 'enabled'}, as ${changed.role}.`,
      );
      this.#note.textContent = '';
      if (user.id === this.#me?.user?.id) this.#reload();
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {unknown} error */
  #failed(error) {
    if (error instanceof Failure && error.status === 401) return this.#reload();
    this.#note.textContent = error instanceof Error ? error.message : String(error);
  }
}
