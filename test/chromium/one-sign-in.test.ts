import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type OneSignIn, startOneSignIn } from '../access/one-sign-in.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium } from './chromium.ts';

/** In processes of their own where there is a database that they can share. */
const apart = process.env.CAIRN_TEST_MONGODB_URL ? ({ as: 'two processes' } as const) : {};
const work = ['view_project_data', 'create_declarations'] as const;

describeChromium('people who have signed in', ({ open }) => {
  describe.each([
    ['oidc', 'one service', { as: 'one process' }],
    ['oidc', 'two services', apart],
    ['auth_service', 'one service', { as: 'one process' }],
    ['auth_service', 'two services', apart],
  ] as const)('with CAIRN_AUTH_MODE=%s, at %s', (mode, _name, as) => {
    const [own, other] = [randomUUID(), randomUUID()];
    const file = (graph: string) => `urn:cid:${blobs.get(graph)}`;
    const blobs = new Map<string, string>();
    let both: OneSignIn;
    let statement = '';

    beforeAll(async () => {
      both = await startOneSignIn(mode, { listens: true, ...as });
      both.grant('ada', { '*': ['create_projects', ...work], [own]: work, [other]: work });
      both.grant('bob', { [own]: work });
      both.grant('eve', { [other]: work });
      const tool = await both.asTool('ada');
      const put = async (path: string, body: object) => (await both.send('PUT', path, tool, body)).json;
      for (const [graph, name] of [
        [own, 'Wheat'],
        [other, 'Secret rye'],
      ] as const) {
        await put('/graph/v1', { graph_id: graph, name });
        const { cid } = await put('/store/v1/jcs', { name: `${name}.csv` });
        blobs.set(graph, blobUrn(`${name} of ${graph}`).slice('urn:cid:'.length));
        const data = ownStatement('DataRegistration', { data: [file(graph)] });
        const naming = ownStatement('MetadataRegistration', {
          subject: file(graph),
          metadata: `urn:cid:${cid}`,
        });
        const stored = await put('/statements/v1/batch', {
          statements: [data, naming],
          generate_id: true,
          graph_id: graph,
        });
        if (graph === own) statement = stored.results[0].rdfc_cid;
      }
    });
    afterAll(async () => await both[Symbol.asyncDispose]());

    /** From a page that needs a session, through the provider, back to that page. */
    async function signIn(page: Page, name: string, path: string): Promise<void> {
      await page.goto(`${both.url}${path}`);
      await page.getByRole('link', { name: 'Sign in at' }).click();
      await page.getByLabel('Account').fill(name);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.waitForURL(`${both.url}${path}`);
      await page.locator('header').getByText(name, { exact: true }).waitFor();
    }

    it('search, read a lineage, a statement and a report, and sign out', async () => {
      await using tab = await open();
      const { page } = tab;
      await signIn(page, 'bob', '/ui/search?q=Wheat');
      await page.getByText('Wheat.csv').first().waitFor();
      await page.goto(`${both.url}/ui/statement/${statement}`);
      await page.getByRole('heading', { level: 1, name: /Wheat\.csv/ }).waitFor();
      await page.goto(`${both.url}/ui/lineage/${blobs.get(own)}`);
      await page.locator('#view:not([aria-busy])').waitFor();
      await page.locator('#world').getByText('Wheat.csv').first().waitFor();
      const download = page.waitForEvent('download');
      await page.getByRole('link', { name: 'Report' }).click();
      expect((await download).suggestedFilename()).toMatch(/^report-.*\.html$/);
      expect(tab.problems.filter((problem) => !problem.includes('status of 404'))).toEqual([]);

      const stolen = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
      // Before the next page has come, this one notices that the session has ended.
      await page.evaluate(() => {
        new BroadcastChannel('cairn-session').onmessage = () => dispatchEvent(new Event('focus'));
      });
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByText('You are signed out.').waitFor();
      for (const path of ['/graph/v1', '/v1/me', `/statements/v1/id/${statement}`])
        expect((await both.send('GET', path, { cookie: stolen })).status).toBe(401);
      await page.goBack();
      await page.getByRole('link', { name: 'Sign in at' }).waitFor();
    });

    it('see nothing of another project', async () => {
      await using tab = await open();
      const { page } = tab;
      await signIn(page, 'eve', '/ui');
      await page.getByText('Secret rye').first().waitFor();
      for (const path of ['/ui', '/ui?q=Wheat', `/ui/graph/${own}`, `/ui/statement/${statement}`]) {
        await page.goto(`${both.url}${path}`);
        await page.waitForLoadState('networkidle');
        expect(await page.locator('main').innerText(), path).not.toMatch(/Wheat\.csv|Wheat$/m);
      }
      await page.goto(`${both.url}/ui/lineage/${blobs.get(own)}`);
      await page.waitForLoadState('networkidle');
      expect(await page.locator('main').innerText()).not.toContain('Wheat');
    });
  });

  describe('in two tabs', () => {
    let both: OneSignIn;
    const project = randomUUID();
    beforeAll(async () => {
      both = await startOneSignIn('oidc', { listens: true });
      both.grant('ada', { '*': ['create_projects', 'manage_configuration', ...work] });
      both.grant('bob', { [project]: work });
    });
    afterAll(async () => await both[Symbol.asyncDispose]());

    async function signIn(page: Page, name: string): Promise<void> {
      await page.goto(`${both.url}/v1/auth/login?provider=idp&return_to=/ui/limits`);
      await page.getByLabel('Account').fill(name);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.locator('header').getByText(name, { exact: true }).waitFor();
    }

    it('never act as another user than the one whom the header names', async () => {
      await using tab = await open();
      const { page } = tab;
      await signIn(page, 'ada');
      const save = page.getByRole('button', { name: 'Save' });
      await expect.poll(() => save.isEnabled()).toBe(true);
      await page.getByLabel('Blobs written at once').fill('9');
      const other = await page.context().newPage();
      // The provider would sign in the same user again.
      await page.context().clearCookies({ name: /^_/ });
      await signIn(other, 'bob');
      const sent: string[] = [];
      page.on('request', (request) => void (request.method() === 'PUT' && sent.push(request.url())));
      await save.click().catch(() => undefined);
      await page.locator('header').getByText('bob', { exact: true }).waitFor();
      expect(sent).toEqual([]);
    });

    it('offer no change of the run-time limits, and no audit log, to those who may not', async () => {
      await using tab = await open();
      const { page } = tab;
      await signIn(page, 'bob');
      await page.locator('#problem').getByText('You may read the limits').waitFor();
      expect(await page.getByLabel('Blobs written at once').inputValue()).not.toBe('');
      expect(await page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(false);
      expect(await page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    });

    it('leave for the sign-in page when their session has ended meanwhile, and come back', async () => {
      await using tab = await open();
      const { page } = tab;
      await signIn(page, 'ada');
      await expect.poll(() => page.getByRole('button', { name: 'Save' }).isEnabled()).toBe(true);
      both.provider.withdrawGrants();
      const cookie = (await page.context().cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
      const csrf = /svc_csrf=([^;]*)/.exec(cookie)?.[1] ?? '';
      await both.send('POST', '/v1/auth/logout', { cookie, 'x-csrf-token': csrf });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.waitForURL(`${both.url}/ui/sign-in?return_to=%2Fui%2Flimits`);
    });

    it.each(['light', 'dark'] as const)('are accessible on a phone, in %s colours', async (colorScheme) => {
      await using tab = await open({ colorScheme, viewport: phone });
      const { page } = tab;
      await page.goto(`${both.url}/ui`);
      await page.getByRole('link', { name: 'Sign in at' }).waitFor();
      await expectAccessible(page);
      both.provider.setAccount('long', { name: `${'Maximiliana '.repeat(9)}<b>` });
      await page.goto(`${both.url}/v1/auth/login?provider=idp&return_to=/ui/lineage`);
      await page.getByLabel('Account').fill('long');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      await expectAccessible(page);
    });
  });
});
