import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { AxeResults } from 'axe-core';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Visitor } from '../../bench/access/visitor.ts';
import { type BrowserPlane, startBrowserPlane } from '../access/control-plane.ts';
import { startJsonServer } from '../access/json-server.ts';
import { describeChromium, type PageRequest } from './chromium.ts';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');
const hours = 3_600_000;

describeChromium('signing in by browser', ({ open }) => {
  let plane: BrowserPlane;
  beforeAll(async () => {
    plane = await startBrowserPlane();
    for (const name of ['ada', 'bob'])
      plane.provider.setAccount(name, { email: `${name}@example.com`, email_verified: true, name });
  });
  afterAll(async () => await plane[Symbol.asyncDispose]());

  const account = (page: Page) => page.locator('#account');
  const nobody = (page: Page) => page.getByRole('link', { name: 'Sign in at 127.0.0.1' });

  /** Goes to the page of the provider. */
  async function begin(page: Page): Promise<void> {
    await page.goto(`${plane.url}/ui/sign-in?return_to=/ui/account`);
    await page.getByRole('link', { name: 'Sign in at 127.0.0.1' }).click();
    await page.getByRole('heading', { name: 'Sign in at the provider' }).waitFor();
  }

  async function enter(page: Page, name: string): Promise<void> {
    await page.getByLabel('Account').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await account(page).getByText(`${name}@example.com`).waitFor();
    // The text may be there before the scripts that answer clicks.
    await page.waitForLoadState();
  }

  async function signIn(page: Page, name: string): Promise<void> {
    await begin(page);
    await enter(page, name);
  }

  /** The status of a request by a script of the page, with its cookies. */
  async function asked(page: Page, path: string, init: PageRequest = {}): Promise<number> {
    return await page.evaluate(async ([path, init]) => (await fetch(path, init)).status, [
      path,
      init,
    ] as const);
  }

  /** Problems that the browser reports, except for 401. */
  const problems = (watched: readonly string[]) =>
    watched.filter((problem) => !problem.includes('status of 401'));

  it('goes to the provider and returns to the requested page', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada');
    expect(page.url()).toBe(`${plane.url}/ui/account`);
    expect(await account(page).locator('dd').allTextContents()).toEqual([
      'ada',
      'ada@example.com',
      'administrator',
      `ada at ${plane.provider.issuer}`,
      expect.stringContaining('20'),
      expect.stringContaining('20'),
    ]);
    const cookies = await page.context().cookies(plane.url);
    expect(cookies.find(({ name }) => name === 'svc_session')).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'Lax',
    });
    expect(cookies.find(({ name }) => name === 'svc_csrf')).toMatchObject({ httpOnly: false, secure: true });
    await page.goto(`${plane.url}/ui/sign-in?return_to=/ui/account`);
    await page.getByText('You are signed in as ada@example.com.').waitFor();
    await page.getByRole('link', { name: 'Continue' }).click();
    await account(page).getByText('ada@example.com').waitFor();
    expect(problems(tab.problems)).toEqual([]);
  });

  it('works in two tabs at once', async () => {
    await using tab = await open();
    const other = await tab.page.context().newPage();
    await begin(tab.page);
    await begin(other);
    await enter(other, 'bob');
    await enter(tab.page, 'bob');
    await other.reload();
    await account(other).getByText('bob@example.com').waitFor();
  });

  it('ends in every tab after a sign-out in one, and its id becomes invalid', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob');
    const other = await page.context().newPage();
    await other.goto(`${plane.url}/ui/account`);
    await account(other).getByText('bob@example.com').waitFor();
    const stolen = (await page.context().cookies(plane.url))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
    const me = async () => (await fetch(`${plane.url}/v1/me`, { headers: { cookie: stolen } })).status;
    expect(await me()).toBe(200);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await nobody(page).waitFor();
    await page.getByText('You are signed out.').waitFor();
    await nobody(other).waitFor();
    expect(await me()).toBe(401);
    expect((await page.context().cookies(plane.url)).filter(({ name }) => name.startsWith('svc_'))).toEqual(
      [],
    );
    expect(problems(tab.problems)).toEqual([]);
  });

  it('ends after its idle timeout, and at its maximum age despite requests', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob');
    const look = async () => {
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    };
    const before = await account(page).locator('dd').last().textContent();
    plane.later(1.9 * hours);
    await look();
    await expect.poll(() => account(page).locator('dd').last().textContent()).not.toBe(before);
    plane.later(2.1 * hours);
    await look();
    await nobody(page).waitFor();
    plane.later(-4 * hours);

    await page.context().clearCookies();
    await signIn(page, 'bob');
    for (let passed = 0; passed < 11; passed += 1) {
      plane.later(hours);
      expect(await asked(page, '/v1/me')).toBe(200);
    }
    plane.later(1.1 * hours);
    expect(await asked(page, '/v1/me')).toBe(401);
    plane.later(-12.1 * hours);
  });

  it('refuses changes without the CSRF token', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob');
    const out = async (headers: Record<string, string>) =>
      await asked(page, '/v1/auth/logout', { method: 'POST', headers });
    expect(await out({})).toBe(403);
    expect(await out({ 'x-csrf-token': 'wrong' })).toBe(403);
    const csrf =
      (await page.context().cookies(plane.url)).find(({ name }) => name === 'svc_csrf')?.value ?? '';
    const another = `${csrf.startsWith('A') ? 'B' : 'A'}${csrf.slice(1)}`;
    await page.evaluate((value) => {
      // biome-ignore lint/suspicious/noDocumentCookie: what a neighbouring site could do
      document.cookie = `svc_csrf=${value}; path=/; secure`;
    }, another);
    expect(await out({ 'x-csrf-token': another })).toBe(403);
    expect(await asked(page, '/v1/me')).toBe(200);
    expect(await out({ 'x-csrf-token': csrf })).toBe(403);
  });

  it('refuses changes from pages of other origins, even on the same host', async () => {
    await using elsewhere = await startJsonServer(() => ({ body: 'a page of another origin' }));
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob');
    const attacker = await page.context().newPage();
    const seen: number[] = [];
    page.context().on('response', (response) => {
      if (response.url().endsWith('/v1/auth/logout')) seen.push(response.status());
    });
    await attacker.goto(elsewhere.url);
    await attacker.evaluate(async (url) => {
      await fetch(url, { method: 'POST', mode: 'no-cors', credentials: 'include' });
    }, `${plane.url}/v1/auth/logout`);
    const withToken = attacker.evaluate(async (url) => {
      const headers = { 'x-csrf-token': document.cookie.replace(/.*svc_csrf=([^;]*).*/, '$1') };
      return (await fetch(url, { method: 'POST', credentials: 'include', headers })).status;
    }, `${plane.url}/v1/auth/logout`);
    await expect(withToken).rejects.toThrow('Failed to fetch');
    await attacker.evaluate((url) => {
      const form = document.body.appendChild(document.createElement('form'));
      Object.assign(form, { method: 'POST', action: url }).submit();
    }, `${plane.url}/v1/auth/logout`);
    await attacker.waitForURL(`${plane.url}/v1/auth/logout`);
    await expect.poll(() => seen.filter((status) => status === 403).length).toBeGreaterThanOrEqual(2);
    expect(seen).not.toContain(204);
    expect(await asked(page, '/v1/me')).toBe(200);
  });

  it('can be finished only once and only in the same browser', async () => {
    await using tab = await open();
    const { page } = tab;
    const callbacks: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/v1/auth/callback/')) callbacks.push(request.url());
    });
    await signIn(page, 'bob');
    const [callback = ''] = callbacks;
    expect(callback).toContain('code=');
    await page.goto(callback);
    await page
      .getByRole('alert')
      .getByText('This sign-in has expired or was started in another browser.')
      .waitFor();
    expect(page.url()).toBe(`${plane.url}/ui/sign-in?error=expired`);

    await page.context().clearCookies();
    await begin(page);
    callbacks.length = 0;
    await page.route('**/v1/auth/callback/**', async (route) => await route.abort());
    await page.getByLabel('Account').fill('bob');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await expect.poll(() => callbacks.length).toBe(1);
    const [unused = ''] = callbacks;
    await using stranger = await open();
    await stranger.page.goto(unused);
    expect(stranger.page.url()).toBe(`${plane.url}/ui/sign-in?error=expired`);
    expect(await asked(stranger.page, '/v1/me')).toBe(401);
    const wrong = new URL(unused);
    wrong.searchParams.set('state', 'wrong');
    await page.unroute('**/v1/auth/callback/**');
    await page.goto(wrong.href);
    expect(page.url()).toBe(`${plane.url}/ui/sign-in?error=expired`);
  });

  it('shows users to administrators, who can change them', async () => {
    await using bob = await open();
    await signIn(bob.page, 'bob');
    expect(await bob.page.locator('#people').isVisible()).toBe(false);
    await using ada = await open();
    const { page } = ada;
    await signIn(page, 'ada');
    const row = page.locator('#users tr', { hasText: 'bob@example.com' });
    await row.getByRole('button', { name: 'Make administrator: bob@example.com' }).click();
    const revoke = row.getByRole('button', { name: 'Make member: bob@example.com' });
    await revoke.waitFor();
    expect(await revoke.evaluate((button) => button === document.activeElement)).toBe(true);
    await bob.page.reload();
    await bob.page.locator('#users tr').first().waitFor();
    await revoke.click();
    await row.getByRole('button', { name: 'Make administrator: bob@example.com' }).waitFor();
    const disable = row.getByRole('button', { name: 'Disable: bob@example.com' });
    page.once('dialog', (dialog) => void dialog.dismiss());
    await disable.click();
    expect(await asked(bob.page, '/v1/me')).toBe(200);
    const questions: string[] = [];
    page.on('dialog', (dialog) => {
      questions.push(dialog.message());
      void dialog.accept();
    });
    await disable.click();
    await row.getByRole('button', { name: 'Enable: bob@example.com' }).waitFor();
    expect(questions).toEqual([expect.stringContaining('Disable bob@example.com?')]);
    expect(await asked(bob.page, '/v1/me')).toBe(401);
    await bob.page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
    await nobody(bob.page).waitFor();
    expect(await bob.page.locator('#people').isVisible()).toBe(false);
    await bob.page.goto(`${plane.url}/ui/sign-in`);
    await bob.page.getByRole('link', { name: 'Sign in at 127.0.0.1' }).click();
    await bob.page.getByRole('alert').getByText('This account may not sign in here.').waitFor();
    await row.getByRole('button', { name: 'Enable: bob@example.com' }).click();

    const own = page.locator('#users tr', { hasText: '(you)' });
    await own.getByRole('button', { name: 'Disable: ada@example.com' }).click();
    await page.locator('#problem').getByText('This is the last enabled administrator.').waitFor();
    expect(problems(ada.problems).filter((problem) => !problem.includes('status of 409'))).toEqual([]);
  });

  it('explains a failed sign-in', async () => {
    await using tab = await open();
    const { page } = tab;
    await begin(page);
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('alert').getByText('The sign-in was cancelled at the provider.').waitFor();
    await page.goto(`${plane.url}/ui/sign-in?error=${encodeURIComponent('<img src=x>Call 555')}`);
    expect(await page.getByRole('alert').textContent()).toBe('The sign-in did not succeed.');
    expect(problems(tab.problems)).toEqual([]);
  });

  it('reports that the service does not answer, and can be tried again', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob');
    await page.route('**/v1/**', async (route) => await route.abort());
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await page.unroute('**/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await nobody(page).waitFor();
  });

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it('is accessible and works by keyboard on a narrow screen', async () => {
      await using tab = await open({ colorScheme, viewport: { width: 360, height: 740 } });
      const { page } = tab;
      const check = async () => {
        await page.evaluate(axe);
        const { violations } = await page.evaluate<AxeResults>('axe.run()');
        expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(360);
      };
      const press = async (text: string) => {
        for (let presses = 0; presses < 10; presses += 1) {
          await page.keyboard.press('Tab');
          if (await page.evaluate((wanted) => document.activeElement?.textContent === wanted, text)) break;
        }
        await page.keyboard.press('Enter');
      };
      await page.goto(`${plane.url}/ui/account`);
      const link = page.getByRole('link', { name: 'Sign in at' });
      await link.waitFor();
      await check();
      await press((await link.textContent()) ?? '');
      await page.getByLabel('Account').waitFor();
      await page.keyboard.type('ada');
      await page.keyboard.press('Enter');
      await account(page).getByText('ada@example.com').waitFor();
      await page.locator('#users tr').first().waitFor();
      await check();
      await press('Sign out');
      await nobody(page).waitFor();
      expect(problems(tab.problems)).toEqual([]);
    });
  });
});

describe('the return address of a sign-in', () => {
  let plane: BrowserPlane;
  beforeAll(async () => {
    plane = await startBrowserPlane();
  });
  afterAll(async () => await plane[Symbol.asyncDispose]());

  it.each([
    'https://evil.example/ui',
    '//evil.example/ui',
    '/\\evil.example',
    '/ui/../../evil',
    '\u0009//evil.example',
    '/%09/evil.example',
    'javascript:alert(1)',
    'http://evil.example@127.0.0.1/ui',
    '/v1/auth/logout',
  ])('does not lead to %s', async (asked) => {
    const visitor = new Visitor();
    const query = new URLSearchParams({ return_to: asked });
    const page = await visitor.open(`${plane.url}/ui/sign-in?${query}`);
    expect(page.text).not.toMatch(/evil|javascript:|<script>/);
    const login = await visitor.open(`${plane.url}/v1/auth/login?provider=idp&${query}`);
    const callback = await plane.provider.authorize(login.url, 'ada', visitor);
    const end = await visitor.open(callback);
    expect(end.url.href).toBe(`${plane.url}/ui/account`);
  });
});

it('the page reports that the provider does not answer', async () => {
  await using plane = await startBrowserPlane();
  await plane.provider.stop();
  const page = await new Visitor().open(`${plane.url}/v1/auth/login?provider=idp`);
  expect(page.url.href).toBe(`${plane.url}/ui/sign-in?error=unavailable`);
  expect(page.text).toContain('The provider does not answer. Try again later.');
});

it('the account page shows only data of the caller, with all names as text', async () => {
  await using plane = await startBrowserPlane();
  const name = '<img src=x onerror=alert(1)>"';
  for (const who of ['ada', 'bob'])
    plane.provider.setAccount(who, { email: `${who}@example.com`, email_verified: true, name });
  const signedIn = async (who: string) => {
    const visitor = new Visitor();
    const login = await visitor.open(`${plane.url}/v1/auth/login?provider=idp`);
    return await visitor.open(await plane.provider.authorize(login.url, who, visitor));
  };
  const [admin, member] = [await signedIn('ada'), await signedIn('bob')];
  const stranger = await new Visitor().open(`${plane.url}/ui/account`);
  expect(admin.text).toContain('&lt;img src=x onerror=alert(1)&gt;&quot;');
  expect(admin.text).not.toContain('<img src=x');
  expect(admin.text).toContain('id="users"');
  const row = /<th scope="row"><bdi>&lt;img [^<]*<\/bdi> <span class="quiet">ada@example.com<\/span>/;
  expect(admin.text).toMatch(row);
  expect(member.text).toContain('bob@example.com');
  expect(member.text).not.toMatch(/ada@example.com|id="users"/);
  expect(stranger.text).not.toMatch(/@example.com|id="users"/);
  for (const { headers } of [admin, member, stranger]) expect(headers.get('cache-control')).toBe('no-store');
});
