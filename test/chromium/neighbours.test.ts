import { pino } from 'pino';
import { expect, it } from 'vitest';
import { openServices } from '../../src/composition/services.ts';
import { listen } from '../../src/platform/http/server.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { startProvider } from '../access/provider.ts';
import { hybrid } from '../http/control-plane/plane.ts';
import { newServiceStore } from '../http/service-store.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';

const cid = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';

/** Both services at one address. */
async function startBoth(
  environmentOf: (provider: Awaited<ReturnType<typeof startProvider>>) => Record<string, string>,
) {
  await using opened = new AsyncDisposableStack();
  const provider = opened.use(await startProvider());
  const store = opened.use(await newServiceStore());
  const settings = readSettings({ ...store.environment, CAIRN_WORKERS: '1', ...environmentOf(provider) });
  const both = ['integrity', 'control-plane'] as const;
  const services = opened.use(
    await openServices(settings, pino({ level: 'silent' }), both, { worksOnJobs: false }),
  );
  const server = await listen({ fetch: services.fetch, host: '127.0.0.1', port: 0 });
  opened.defer(() => server.stop(0));
  const stack = opened.move();
  return { url: server.url, [Symbol.asyncDispose]: () => stack.disposeAsync() };
}

describeChromium('the pages of both services', ({ open }) => {
  it('link to each other if people sign in by browser', async () => {
    await using both = await startBoth(hybrid);
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${both.url}/`);
    await page.getByText('Nothing is stored here yet.').waitFor();
    await page.getByRole('link', { name: 'Lineage' }).click();
    await page.getByRole('heading', { name: 'Lineage' }).waitFor();
    await page.getByRole('link', { name: 'Account' }).click();
    await page.waitForURL(`${both.url}/ui/sign-in?return_to=%2Fui%2Faccount`);
  });

  it('say that nobody needs to sign in, if nobody does', async () => {
    await using both = await startBoth(() => ({}));
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${both.url}/`);
    await page.getByText('Nothing is stored here yet.').waitFor();
    expect(await page.getByRole('link', { name: 'Account' }).count()).toBe(0);
    await page.goto(`${both.url}/ui/account`);
    await page
      .getByText('Authentication is disabled: everybody who reaches this service may do everything.')
      .waitFor();
    await page.goto(`${both.url}/ui/sign-in`);
    await page.getByText('Nobody needs to sign in here: authentication is disabled.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('link to each other and to the console, and every link works', async () => {
    await using both = await startBoth(() => ({}));
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${both.url}/`);
    const links = page.getByRole('navigation', { name: 'Pages' }).getByRole('link');
    const names = ['Start', 'Lineage', 'Log', 'Agents', 'Tokens', 'Limits', 'Audit log', 'Health'];
    expect(await links.allTextContents()).toEqual([...names, 'API']);
    for (const name of names) {
      await links.getByText(name, { exact: true }).click();
      await page.locator('nav [aria-current="page"]', { hasText: name }).waitFor();
      await page.waitForLoadState('networkidle');
    }
    expect(tab.problems).toEqual([]);
  });

  it.each([
    ['light', 1_440],
    ['dark', 390],
  ] as const)(
    'are accessible in the %s theme at %i px, with a header of one row',
    async (colorScheme, width) => {
      await using both = await startBoth(() => ({}));
      await using tab = await open({ colorScheme, viewport: { width, height: 800 } });
      const { page } = tab;
      await page.goto(`${both.url}/ui`);
      const links = await page
        .locator('header nav a')
        .evaluateAll((nodes) => nodes.map((node) => node.getAttribute('href') ?? ''));
      for (const path of [...links, '/ui/account', '/ui/sign-in', `/ui/lineage/${cid}`, '/ui/nowhere']) {
        await page.goto(both.url + path);
        await page.waitForLoadState('networkidle');
        const header = await page.locator('header').first().boundingBox();
        expect([path, header?.height]).toEqual([path, expect.closeTo(50, -1)]);
        expect([path, await page.locator('main').count()]).toEqual([path, 1]);
        // The reference is made by another library.
        if (path !== '/docs') await expectAccessible(page);
      }
      if (width > 1_000) return;
      await page.getByRole('button', { name: 'Menu' }).click();
      await expectAccessible(page);
      await page.getByRole('link', { name: 'Health' }).click();
      await page.waitForURL(`${both.url}/ui/health`);
    },
  );

  it('show the run-time limits and change them', async () => {
    await using both = await startBoth(() => ({}));
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${both.url}/ui/limits`);
    const written = page.getByLabel('Blobs written at once');
    await expect.poll(() => written.isEnabled()).toBe(true);
    await written.fill('7');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.locator('#announcements').getByText('The limits are saved.').waitFor();
    const limits = await (await fetch(`${both.url}/dynamic-config/v1`)).json();
    expect(limits.blob_store_write_concurrency_limit).toBe(7);
    await page.reload();
    await expect.poll(() => written.inputValue()).toBe('7');
    await expectAccessible(page);
    expect(tab.problems).toEqual([]);
  });

  it('explain that lineages need a token, which a page does not have', async () => {
    await using both = await startBoth(({ issuer, audience }) => ({
      CAIRN_AUTH_MODE: 'oidc',
      CAIRN_OIDC_ISSUER_URL: issuer,
      CAIRN_OIDC_AUDIENCE: audience,
      CAIRN_CLAIM_NAMESPACE: 'https://cairn.example',
    }));
    await using tab = await open({ viewport: { width: 360, height: 740 } });
    await tab.page.goto(`${both.url}/ui/lineage/${cid}`);
    await tab.page.locator('#notice').getByText('a page has none').waitFor();
    expect(await tab.page.locator('#notice').textContent()).toContain('cairn login');
    const [zoom, notice] = await Promise.all(
      ['.zoom', '#notice'].map(async (part) => await tab.page.locator(part).boundingBox()),
    );
    expect(notice?.y).toBeGreaterThanOrEqual((zoom?.y ?? 0) + (zoom?.height ?? 0));
  });
});
