import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { startBrowserPlane } from '../access/control-plane.ts';
import { describeChromium, type PageRequest } from './chromium.ts';

/** A server of empty pages. Another port is another origin of the same site. */
async function startPages() {
  const server = createServer((_, response) =>
    response.setHeader('content-type', 'text/html').end('<p>UI</p>'),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url, [Symbol.asyncDispose]: async () => void server.close() };
}

/** What a script of the page gets from the control plane; undefined if the browser keeps the answer from it. */
async function ask(page: Page, url: string, init: PageRequest = {}, withToken = false) {
  return await page.evaluate(
    async ([url, init, withToken]) => {
      const token = /svc_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? '';
      const headers = { ...init.headers, ...(withToken && { 'x-csrf-token': token }) };
      const answer = await fetch(url, { ...init, headers, credentials: 'include' }).catch(() => undefined);
      return answer && { status: answer.status, text: await answer.text() };
    },
    [url, init, withToken] as const,
  );
}

describeChromium('a user interface on another origin', ({ open }) => {
  it('signs people in, reads and changes with their session, and no other origin does', async () => {
    await using pages = await startPages();
    await using others = await startPages();
    await using plane = await startBrowserPlane({ uiBaseUrl: `${pages.url}/app` });
    plane.provider.setAccount('ada', { email: 'ada@example.com', email_verified: true, name: 'ada' });
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${plane.url}/v1/auth/login?provider=idp&return_to=/app/users`);
    await page.getByLabel('Account').fill('ada');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${pages.url}/app/users`);

    const me = JSON.parse((await ask(page, `${plane.url}/v1/me`))?.text ?? '{}');
    expect(me).toMatchObject({ subject: 'ada', role: 'admin' });
    const change = {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'Ada L.' }),
    };
    const user = `${plane.url}/v1/users/${me.user.id}`;
    expect(await ask(page, user, change)).toMatchObject({ status: 403 });
    expect(await ask(page, user, change, true)).toMatchObject({ status: 200 });

    await page.goto(others.url);
    expect(await ask(page, `${plane.url}/v1/me`)).toBeUndefined();
    expect(await ask(page, user, change, true)).toBeUndefined();
    await page.goto(pages.url);
    expect((await ask(page, `${plane.url}/v1/me`))?.text).toContain('Ada L.');
  });
});
