import { html } from 'hono/html';
import { account, header, type Neighbour } from './header.ts';
import { page } from './page.ts';

/** The page that says who is signed in; for administrators, who the users are. Its script asks the API. */
export async function accountPage(neighbour: Neighbour | undefined): Promise<string> {
  return await page({
    title: 'Account',
    styles: ['page.css', 'account/access.css'],
    script: 'account/account.js',
    body: html`${header({ about: account, neighbour })}
<main class="entry wide">
<h1>Account</h1>
<div id="account" aria-busy="true"><noscript>This page needs JavaScript.</noscript></div>
<section id="people" aria-labelledby="people-heading" hidden>
<h2 id="people-heading">Users</h2>
<p id="people-note" role="status"></p>
<table class="people">
<thead><tr><th scope="col">User</th><th scope="col">Role</th><th scope="col">Status</th><th scope="col">Last signed in</th></tr></thead>
<tbody id="users"></tbody>
</table>
<button type="button" id="more-users" hidden>Show more users</button>
</section>
</main>
<div id="announcements" role="status" class="unseen"></div>`,
  });
}
