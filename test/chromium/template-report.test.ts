import { beforeAll, expect, it } from 'vitest';
import { check } from '../../src/domain/integrity/policies/check.ts';
import type { Facts } from '../../src/domain/integrity/policies/facts.ts';
import { fillTemplate } from '../../src/domain/integrity/policies/fill-template.ts';
import { templatePage } from '../../src/ui/template-report/template-page.ts';
import { templateNamed } from '../../src/ui/template-report/templates.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';

describeChromium('a report by a template', ({ open }) => {
  const pages: string[] = [];
  beforeAll(async () => {
    const policy = templateNamed('eu-ai-act-annex-iv') ?? expect.fail();
    for (const { facts } of policy.document.examples ?? []) {
      const all = [facts as unknown as Facts];
      const answer = await check(policy, { facts: all, isCut: false }, new Date('2026-06-01T00:00:00Z'));
      const filled = await fillTemplate(policy, { check: answer, facts: all });
      pages.push(
        await templatePage({ ...filled, source: { kind: 'service', url: 'https://cairn.example' } }),
      );
    }
  });

  it('is readable in light and dark at any width, and loads nothing', async () => {
    await using tab = await open();
    const { page } = tab;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    for (const one of pages) {
      await page.setContent(one);
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme });
        for (const width of [1_440, 390]) {
          await page.setViewportSize({ width, height: 844 });
          await expectAccessible(page);
          const excess = await page.evaluate(() => document.body.scrollWidth - document.body.clientWidth);
          expect(excess).toBe(0);
        }
      }
      expect(await page.locator('script, img, link, iframe, form').count()).toBe(0);
    }
    expect([...requests, ...tab.problems]).toEqual([]);
  });

  it('leads from a gap to its chapter, and from there to the evidence', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.setContent(pages[0] ?? '');
    await page.locator('.rule a').first().click();
    expect(await page.locator(':target').textContent()).toContain('what is said about model.bin');
    await page.setContent(pages[1] ?? '');
    await page.locator('.gap a').first().click();
    expect(await page.locator(':target').textContent()).toContain('The intended purpose is stated');
  });

  it('prints on several pages of A4', async () => {
    await using tab = await open();
    await tab.page.setContent(pages[0] ?? '');
    const pdf = (await tab.page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(5);
  });
});
