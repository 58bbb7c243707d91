import { beforeAll, expect, it } from 'vitest';
import { useServer, useService } from '../http/service.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium, type WatchedPage } from './chromium.ts';
import { storeGovernance } from './governed-subject.ts';
import { artefact, storeMarkedLineage } from './marked-lineage.ts';

describeChromium('the governance on the lineage page', ({ open }) => {
  const service = useService();
  const server = useServer(service);
  let stored: Awaited<ReturnType<typeof storeGovernance>>;
  beforeAll(async () => {
    stored = await storeGovernance(service);
    await storeMarkedLineage(service);
  });

  async function show({ page }: WatchedPage, id: string): Promise<void> {
    await page.goto(`${server.url}/ui/lineage/${encodeURIComponent(id)}`);
    await page.locator('#view:not([aria-busy])').waitFor();
  }

  it('has the last review about each control, and the standing of each certificate', async () => {
    await using tab = await open();
    await show(tab, stored.subject);
    const panel = tab.page.getByRole('region', { name: 'Governance' });
    await panel.waitFor();
    expect(await panel.locator('h3 a').getAttribute('title')).toBe(stored.project);
    expect(await panel.locator('.vouched').allTextContents()).toEqual([
      'approvedEvaluate on held-out data',
      'not reviewedDocument the training data',
      'revokedCertificate: Model release',
      'validCertificate: Model release',
    ]);
    expect(await panel.locator('li').first().innerText()).toContain('The model reaches an AUC of 0.83.');
    expect(await panel.locator('li').first().innerText()).toContain('Reviewed by did:web:bob.example');
    expect(await panel.locator('li').last().innerText()).toContain('Valid until');
    const link = panel.getByRole('link', { name: 'The compliance credential' }).first();
    const answer = await service.app.request((await link.getAttribute('href')) ?? '', {});
    expect(await answer.json()).toMatchObject({ credentialSubject: { id: stored.subject } });
    expect(await tab.page.locator('#nodes').textContent()).toContain('policy compliance credential');
    expect(tab.problems).toEqual([]);
  });

  it('follows the selected node', async () => {
    await using tab = await open();
    const { page } = tab;
    const panel = page.getByRole('region', { name: 'Governance' });
    await show(tab, stored.member);
    await panel.locator('b', { hasText: 'Membership' }).waitFor();
    await page.locator('.start .card').focus();
    await page.keyboard.press('ArrowRight');
    await expect.poll(() => panel.count()).toBe(0);
    await page.keyboard.press('Home');
    await panel.locator('b', { hasText: 'Membership' }).waitFor();
    await page.keyboard.press('Escape');
    await page.locator('#details .hint').waitFor();
    expect(await panel.count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('is absent if there is none', async () => {
    await using tab = await open();
    const answer = tab.page.waitForResponse(/\/gov\/v1\/status\//);
    await show(tab, artefact('model'));
    expect(await (await answer).json()).toMatchObject({ projects: [] });
    await expect.poll(() => tab.page.getByRole('region', { name: 'Governance' }).count()).toBe(0);
  });

  it.each(['light', 'dark'] as const)('is accessible in %s colours', async (colorScheme) => {
    await using tab = await open({ colorScheme, viewport: phone });
    await show(tab, stored.subject);
    await tab.page.getByRole('region', { name: 'Governance' }).waitFor();
    await expectAccessible(tab.page);
  });
});
