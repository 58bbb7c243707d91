import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { useServer, useService } from '../http/service.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium } from './chromium.ts';
import { artefact, type MarkedLineage, storeMarkedLineage } from './marked-lineage.ts';

describeChromium('the marks of trust on the lineage page', ({ open }) => {
  const service = useService();
  const server = useServer(service);
  let stored: MarkedLineage;
  beforeAll(async () => {
    stored = await storeMarkedLineage(service);
  });

  const node = (page: Page, id: string) => page.locator(`.node[data-id="${id}"]`);
  const mark = (page: Page, id: string) => node(page, id).locator('.badge');
  const drawn = async (page: Page) =>
    (await page.locator('.node').evaluateAll((nodes) => nodes.map((one) => one.getAttribute('data-id'))))
      .filter((id) => Object.values(stored).includes(id ?? ''))
      .toSorted();

  async function show(page: Page, query = ''): Promise<void> {
    await page.goto(`${server.url}/ui/lineage/${artefact('model').replace('urn:cid:', '')}${query}`);
    await page.locator('#view:not([aria-busy])').waitFor();
  }

  it('are on the nodes, in their names and in the details', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page);
    expect(await mark(page, stored.signed).textContent()).toBe('signed');
    expect(await mark(page, stored.expired).textContent()).toBe('not valid now');
    expect(await mark(page, stored.revoked).textContent()).toBe('revoked');
    expect(await mark(page, stored.claimed).count()).toBe(0);
    expect(
      await node(page, stored.revoked)
        .getByRole('button', { name: /Computation, revoked$/ })
        .count(),
    ).toBe(1);
    await page.locator('#fit').click();
    const words = page.locator('#details .vouched');
    for (const [id, text] of [
      [stored.claimed, 'claimedNothing proves who registered it.'],
      [stored.revoked, 'revokedSigned by its registrant. The credential is revoked.'],
      [
        stored.expired,
        'not valid nowSigned by its registrant. The credential expired at 2026-02-01T00:00:00Z.',
      ],
    ] as const) {
      await node(page, id).locator('.card').click();
      await expect.poll(() => words.textContent()).toBe(text);
    }
    await node(page, stored.signed).locator('.card').click();
    await expect.poll(() => words.textContent()).toMatch(/^signedSigned by did:key:z\w+\.$/);
    await page.locator('.start .card').click();
    await expect.poll(() => page.locator('#details .edges .badge').allTextContents()).toContain('signed');
    expect(tab.problems).toEqual([]);
  });

  it('are explained and counted', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page);
    await page.getByText('Lines, symbols and marks').click();
    expect(await page.locator('.legend .mark').allTextContents()).toEqual([
      'signeda signature was checked and counts now: 2',
      'claimednothing proves who registered it (not drawn): 1',
      'not valid nowsigned, but expired, suspended or not valid yet: 2',
      'revokedsigned, and its credential was revoked: 2',
    ]);
  });

  it('can be searched in the list of all nodes', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page);
    await page.getByText('All nodes as a list').click();
    await page.locator('#filter').fill('revoked');
    const found = page.locator('#nodes button');
    await expect.poll(() => found.count()).toBe(2);
    expect(await found.first().textContent()).toMatch(/^Computation.*revoked$/);
  });

  it('choose by keyboard which statements are drawn, and stay in the address', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page);
    const select = page.getByLabel('Statements');
    const [chosen, field] = await Promise.all(
      [select, page.getByLabel('Depth')].map((one) =>
        one.evaluate((control) => {
          const { borderRadius, borderColor, fontSize, backgroundColor } = getComputedStyle(control);
          return { borderRadius, borderColor, fontSize, backgroundColor };
        }),
      ),
    );
    expect(chosen).toEqual(field);
    await page.getByLabel('All facts').focus();
    await page.keyboard.press('Tab');
    expect(await select.evaluate((control) => control === document.activeElement)).toBe(true);
    await page.keyboard.type('Signed');
    await expect.poll(() => drawn(page)).toEqual([stored.signed]);
    for (let presses = 0; presses < 2; presses += 1) await page.keyboard.press('ArrowDown');
    await expect.poll(() => drawn(page)).toEqual([stored.expired]);
    expect(new URL(page.url()).search).toBe('?trust=invalid');
    await page.reload();
    await expect.poll(() => drawn(page)).toEqual([stored.expired]);
    for (const [value, ids] of [
      ['revoked', [stored.revoked]],
      ['claimed', [stored.claimed]],
      ['', Object.values(stored).toSorted()],
    ] as const) {
      await select.selectOption(value);
      await expect.poll(() => drawn(page)).toEqual(ids);
    }
    expect(tab.problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('are accessible in %s colours', async (colorScheme) => {
    await using tab = await open({ colorScheme, viewport: phone });
    const { page } = tab;
    await show(page);
    await page.getByText('Lines, symbols and marks').click();
    await page.locator('#fit').click();
    await node(page, stored.revoked).locator('.card').click();
    await expectAccessible(page);
  });
});
