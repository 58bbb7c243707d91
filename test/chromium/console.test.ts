import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { BrowserPlane } from '../access/control-plane.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium } from './chromium.ts';
import { addActivity, addAgent, child, project, startConsolePlane } from './console-agents.ts';

describeChromium('the console', ({ open }) => {
  let plane: BrowserPlane;
  let worker: { id: string; did: string };
  let idle: { id: string; did: string };
  beforeAll(async () => {
    plane = await startConsolePlane();
    worker = await addAgent(plane, { name: 'Worker' });
    idle = await addAgent(plane, { name: 'Idle', owner: 'bob' });
    await addActivity(plane, worker);
  });
  afterAll(async () => await plane[Symbol.asyncDispose]());

  async function signIn(page: Page, name: string, path: string): Promise<void> {
    await page.goto(`${plane.url}${path}`);
    await page.getByRole('link', { name: 'Sign in at' }).click();
    await page.getByLabel('Account').fill(name);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${plane.url}${path}`);
  }

  const names = (page: Page) => page.locator('.records tbody th').allTextContents();

  it('asks people to sign in, returns to the page, and finds agents', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada', '/ui/agents');
    expect(await names(page)).toEqual(['Worker', 'Idle']);
    await page.getByLabel('Name, handle, id or DID').fill('WORK');
    await page.keyboard.press('Enter');
    await page.waitForURL(/q=WORK/);
    expect(await names(page)).toEqual(['Worker']);
    await page.getByLabel('State').selectOption('revoked');
    await page.getByRole('button', { name: 'Search' }).click();
    await page.getByText('No agent matches.').waitFor();
    await page.getByRole('link', { name: 'Show all' }).click();
    await page.getByLabel('Name, handle, id or DID').fill(idle.did);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Idle' }).click();
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    await page.getByText('There is no evidence that it is a member of a project.').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('revokes and restores an agent by keyboard, with a confirmation and a reason', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada', `/ui/agents/${idle.id}`);
    const state = page.locator('#content .row .badge').first();
    await page.getByRole('button', { name: 'Revoke…' }).focus();
    await page.keyboard.press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Revoke Idle?' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    expect(await state.textContent()).toBe('active');
    await page.keyboard.press('Enter');
    await page.keyboard.type('Its key was in a log.');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await expect.poll(() => state.textContent()).toBe('revoked');
    expect(await page.locator('#announcements').textContent()).toBe('Idle is revoked now.');
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('change-state');
    const events = page.getByRole('region', { name: 'Status events' });
    expect(await events.locator('tbody tr').first().textContent()).toContain('Its key was in a log.');
    await page.getByRole('button', { name: 'Restore…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    await expect.poll(() => state.textContent()).toBe('active');
    await page.goto(`${plane.url}/ui/audit-log?target=${idle.id}`);
    const done = page.locator('.records tbody th');
    expect(await done.allInnerTexts()).toEqual([
      'Restore the agent Idle',
      'Revoke the agent Idle\nreason: Its key was in a log.',
    ]);
    await page.getByLabel('What was done').selectOption('Restore the agent');
    await page.getByRole('button', { name: 'Search' }).click();
    await expect.poll(() => done.allInnerTexts()).toEqual(['Restore the agent Idle']);
    await page.locator('.records').getByRole('link', { name: 'ada' }).first().click();
    await page.waitForURL(/audit-log\?actor=/);
    expect(await done.count()).toBeGreaterThan(2);
    expect(tab.problems).toEqual([]);
  });

  it('reports that a change failed, and changes nothing', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada', `/ui/agents/${idle.id}`);
    await page.route('**/revoke', async (route) => await route.abort());
    await page.getByRole('button', { name: 'Revoke…' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    expect(await page.locator('#content .row .badge').first().textContent()).toBe('active');
  });

  it('draws the exchanges of an agent over time, in both colour schemes', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada', `/ui/agents/${worker.id}`);
    await page.locator('#counts canvas').waitFor();
    await page.locator('#durations canvas').waitFor();
    await page.getByText('The chart as a table').click();
    const rows = page.locator('#series tbody tr');
    const cells = await rows.locator('td').allTextContents();
    const sums = [0, 1, 2].map((column) =>
      cells.filter((_, at) => at % 5 === column).reduce((sum, cell) => sum + Number(cell), 0),
    );
    expect(sums).toEqual([3, 1, 1]);
    expect(await page.locator('#totals').textContent()).toBe('3 exchanges: ok 1, denied 1, error 1');
    const colours = async () =>
      await page
        .locator('#counts .u-legend .u-marker')
        .evaluateAll((all) => all.map((one) => getComputedStyle(one).borderTopColor));
    const light = await colours();
    expect(new Set(light).size).toBe(light.length);
    await page.emulateMedia({ colorScheme: 'dark' });
    await expect.poll(colours).not.toEqual(light);
    await rows.first().getByRole('link').click();
    await page.waitForURL(/from=.*to=/);
    await page.locator('#counts canvas').waitFor();
    const { y = -1 } = (await page.locator('#counts').boundingBox()) ?? {};
    expect(y > 0 && y < 720, `the chart is at ${y} px`).toBe(true);
    expect(await page.locator('.records:has(caption:text-is("Exchanges")) tbody tr').count()).toBe(1);
    expect(tab.problems).toEqual([]);
  });

  it('narrows exchanges by outcome and model, and leads from one to its bodies, events and states', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'ada', `/ui/agents/${worker.id}`);
    const exchanges = page.locator('.records:has(caption:text-is("Exchanges")) tbody tr');
    expect(await exchanges.count()).toBe(3);
    await page.getByLabel('Outcome').selectOption('error');
    await page.getByRole('button', { name: 'Show' }).click();
    await expect.poll(() => exchanges.count()).toBe(1);
    await page.getByLabel('Outcome').selectOption('');
    await page.getByLabel('Model').fill('large-4');
    await page.getByRole('button', { name: 'Show' }).click();
    await page.waitForURL(/model=large-4/);
    await exchanges.getByRole('link').click();
    await page.getByRole('heading', { name: 'Exchange of Worker' }).waitFor();
    await page.goBack();
    await page.locator('.records:has(caption:text-is("States")) tbody a').click();
    await page.waitForURL(/#states$/);
    await page.getByText('Request (application/json').click();
    await page.getByText('<script>alert(1)</script>').waitFor();
    await page.getByText('Attestation (application/json').click();
    await page.locator('pre', { hasText: child }).waitFor();
    expect(
      await page.getByRole('region', { name: 'Plugin events' }).locator('tbody').textContent(),
    ).toContain('tool_call');
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: `Download ${child}` }).click();
    expect((await download).url()).toContain(`/v1/projects/${project}/agents/${worker.id}/state-cids/`);
    expect(tab.problems).toEqual([]);
  });

  it('mints a token once, with a command to copy', async () => {
    await using tab = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = tab;
    await signIn(page, 'bob', '/ui/tokens');
    await page.getByLabel('Name of the agent').fill('New agent');
    await page.getByLabel('Handle (optional)').fill('new');
    await page.keyboard.press('Enter');
    const minted = page.getByRole('region', { name: 'The token' });
    await minted.waitFor();
    expect(await minted.evaluate((section) => section === document.activeElement)).toBe(true);
    const command = await minted.locator('#register').textContent();
    expect(command).toMatch(/AGENT_PROVISIONING_TOKEN="\$AGENT_PROVISIONING_TOKEN" cairn agents register/);
    await minted.getByRole('button', { name: 'Copy the command' }).click();
    await minted.getByText('Copied').waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(command);
    expect(await minted.locator('#set-token').textContent()).toMatch(
      /^ export AGENT_PROVISIONING_TOKEN='ey[\w.-]+'$/,
    );
    await page.reload();
    expect(await minted.count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('shows members their own agents only, and no administration', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob', '/ui/agents');
    expect(await names(page)).toEqual(['Idle']);
    await page.getByRole('link', { name: 'Idle' }).click();
    await page.getByRole('heading', { name: 'Idle' }).waitFor();
    expect(await page.getByRole('button', { name: 'Revoke…' }).count()).toBe(0);
    expect(await page.getByRole('region', { name: 'Status events' }).count()).toBe(0);
    await page.goto(`${plane.url}/ui/agents/${worker.id}`);
    await page.getByRole('alert').getByText('There is no agent').waitFor();
    await page.goto(`${plane.url}/ui/audit-log`);
    await page.getByRole('alert').getByText('Only administrators see this page.').waitFor();
  });

  it('shows nothing any longer after a sign-out in another tab', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob', '/ui/agents');
    const other = await page.context().newPage();
    await other.goto(`${plane.url}/ui/account`);
    await other.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(`${plane.url}/ui/sign-in?**`);
    expect(await page.locator('.records').count()).toBe(0);
  });

  it('shows whether the service is up', async () => {
    await using tab = await open();
    const { page } = tab;
    await signIn(page, 'bob', '/ui/health');
    await expect.poll(() => page.locator('.probes .badge').allTextContents()).toEqual(['up', 'up']);
    await page.route('**/ready', async (route) => await route.abort());
    await page.reload();
    await expect.poll(() => page.locator('.probes .badge').allTextContents()).toEqual(['up', 'down']);
  });

  describe.each(['light', 'dark'] as const)('in %s colours', (colorScheme) => {
    it('is accessible on a narrow screen', async () => {
      await using tab = await open({ colorScheme, viewport: phone });
      const { page } = tab;
      await page.goto(`${plane.url}/ui/agents`);
      await expectAccessible(page);
      await signIn(page, 'ada', '/ui/agents');
      await expectAccessible(page);
      for (const path of [`/ui/agents/${worker.id}`, '/ui/tokens', '/ui/audit-log', '/ui/health']) {
        await page.goto(`${plane.url}${path}`);
        await page.waitForLoadState('networkidle');
        await expectAccessible(page);
      }
      await page.goto(`${plane.url}/ui/agents/${worker.id}`);
      await page.locator('#counts canvas').waitFor();
      await page.getByText('The chart as a table').click();
      await page.getByRole('button', { name: 'Revoke…' }).click();
      await expectAccessible(page);
      await page.keyboard.press('Escape');
      await page.locator('.records:has(caption:text-is("Exchanges")) tbody a').last().click();
      await page.getByRole('heading', { name: 'Exchange of Worker' }).waitFor();
      await page.getByText('Request (application/json').click();
      await expectAccessible(page);
      expect(tab.problems).toEqual([]);
    });
  });
});
