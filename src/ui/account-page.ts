import { html } from 'hono/html';
import type { Page } from '../domain/collections/records.ts';
import type { RoleSource } from '../domain/control-plane/access.ts';
import { userName } from '../domain/control-plane/console-names.ts';
import { effectiveRole, type KnownCaller } from '../domain/control-plane/known-caller.ts';
import type { User } from '../domain/control-plane/users.ts';
import { account, type Html, header, type Link } from './header.ts';
import { page } from './page.ts';
import { time } from './parts.ts';

interface AccountView {
  /** undefined if nobody is signed in. */
  readonly caller: KnownCaller | undefined;
  /** Why the service cannot authenticate the caller now. */
  readonly problem: string | undefined;
  /** When the session ends at the latest, and when it ends without another request, in milliseconds since 1970. */
  readonly ends: { readonly latest: number; readonly idle: number } | null;
  /** Only for administrators. */
  readonly people: Page<User> | undefined;
}

const words = { admin: 'administrator', member: 'member' } as const;

/** The page that shows who is signed in, and lists the users for administrators. Its script sends the changes. */
export async function accountPage(view: AccountView, links: readonly Link[]): Promise<string> {
  const { caller, ends, people } = view;
  return await page({
    title: 'Account',
    styles: [],
    scripts: ['account/account.ts'],
    body: html`${header({ here: account, links })}
<main class="reading">
<h1>Account</h1>
<div id="content" data-until="${ends ? new Date(ends.latest).toISOString() : ''}">
<div id="account">${who(view)}</div>
<p id="problem" role="alert"></p>
${people ? userTable(people, caller) : ''}
</div>
</main>
<div id="announcements" role="status" class="unseen"></div>`,
  });
}

function who({ caller, problem, ends }: AccountView): Html {
  if (problem !== undefined)
    return html`<p role="alert">${problem}</p><a class="choice" href="/ui/account">Try again</a>`;
  if (!caller)
    return html`<p>Nobody is signed in.</p><a class="choice" id="sign-in-again" href="/ui/sign-in?return_to=/ui/account">Sign in</a>`;
  const { means, user, role, roleSource, subject, issuer } = caller;
  if (means === 'disabled')
    return html`<p>Authentication is disabled: everybody who reaches this service may do everything.</p>`;
  const rows = [
    ['Name', user?.nameOverride ?? user?.name],
    ['E-mail', user?.email],
    ['Role', `${words[role]}${byClaim(roleSource)}`],
    ['Identity', `${subject} at ${issuer}`],
    ['Signed in until', ends && time(ends.latest)],
    ['If idle, until', ends && time(ends.idle)],
  ] as const;
  return html`<dl>${rows.map(([term, value]) => (value ? html`<dt>${term}</dt><dd>${value}</dd>` : ''))}</dl>`;
}

function byClaim(roleSource: RoleSource): string {
  return roleSource === 'claim' ? ' (by the auth service)' : '';
}

function userTable(
  { records: users, next }: NonNullable<AccountView['people']>,
  caller: KnownCaller | undefined,
): Html {
  return html`<section id="people" aria-labelledby="people-heading">
<h2 id="people-heading">Users</h2>
<table class="records">
<thead><tr><th scope="col">User</th><th scope="col">Role</th><th scope="col">Status</th><th scope="col">Last signed in</th></tr></thead>
<tbody id="users">${users.map((user) => userRow(user, user.id === caller?.userId))}</tbody>
</table>
${next === undefined ? '' : html`<a id="more-users" href="/ui/account?${new URLSearchParams({ cursor: next })}">Show more users</a>`}
</section>`;
}

function userRow(user: User, isSelf: boolean): Html {
  const { id, email, name, nameOverride, subject, disabled, lastLoginAt } = user;
  const { role, roleSource } = effectiveRole(user, user);
  const shown = email ?? nameOverride ?? name ?? subject;
  const called = email === null ? undefined : userName(user);
  const other = role === 'admin' ? 'member' : 'admin';
  const button = (
    label: string,
    change: { role?: typeof role; disabled?: boolean },
    done: string,
    ask = '',
  ) =>
    html`<button type="button" id="${Object.keys(change)[0]}-${id}" data-user="${id}" data-change="${JSON.stringify(change)}" data-done="${shown} is ${done} now." data-ask="${ask}" aria-label="${label}: ${shown}">${label}</button>`;
  const disabling = `Disable ${shown}? Their sessions end, and both services refuse them from now on.`;
  return html`<tr>
<th scope="row">${called === undefined ? shown : html`<bdi>${called}</bdi> <span class="quiet">${shown}</span>`}${isSelf ? html`<span class="self"> (you)</span>` : ''}</th>
<td data-label="Role">${words[role]}${byClaim(roleSource)} ${button(`Make ${words[other]}`, { role: other }, words[other])}</td>
<td data-label="Status">${disabled ? 'disabled' : 'enabled'} ${disabled ? button('Enable', { disabled: false }, 'enabled') : button('Disable', { disabled: true }, 'disabled', disabling)}</td>
<td data-label="Last signed in">${lastLoginAt === null ? 'never by browser' : time(lastLoginAt)}</td>
</tr>`;
}
