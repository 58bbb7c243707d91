import { beforeAll, expect, it } from 'vitest';
import { send, useService } from '../http/service.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';
import { artefact, storeMarkedLineage } from './marked-lineage.ts';

describeChromium('a report', ({ open }) => {
  const service = useService();
  let report: string;
  beforeAll(async () => {
    await storeMarkedLineage(service);
    report = (await send(service, 'GET', `/report/v1/${artefact('release')}`)).text;
  });

  it('is readable in light and dark at any width, and loads nothing', async () => {
    await using tab = await open();
    const { page } = tab;
    const requests: string[] = [];
    page.on('request', (request) => requests.push(request.url()));
    await page.setContent(report);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_440, 390]) {
        await page.setViewportSize({ width, height: 844 });
        await expectAccessible(page);
        const drawing = page.locator('.drawing');
        expect(await drawing.evaluate((one) => one.scrollWidth - one.clientWidth)).toBe(0);
      }
    }
    expect(await page.locator('script, img, link, iframe, form').count()).toBe(0);
    const links = await page.locator('a').evaluateAll((all) => all.map((one) => one.getAttribute('href')));
    expect(links).toEqual([expect.stringMatching(/^https?:\/\/[^/]+\/ui\/verify$/)]);
    expect([...requests, ...tab.problems]).toEqual([]);
  });

  it('prints on several pages of A4, each moment on one line', async () => {
    await using tab = await open();
    await tab.page.setContent(report);
    for (const media of ['screen', 'print'] as const) {
      await tab.page.emulateMedia({ media });
      await tab.page.setViewportSize({ width: media === 'print' ? 680 : 1_440, height: 900 });
      const heights = await tab.page
        .locator('.statements time')
        .evaluateAll((all) => all.map((one) => one.getBoundingClientRect().height));
      expect(Math.max(...heights)).toBeLessThan(30);
    }
    const pdf = (await tab.page.pdf({ preferCSSPageSize: true })).toString('latin1');
    expect(pdf.match(/\/Type\s*\/Page\b/g)?.length).toBeGreaterThan(2);
    expect(pdf).toMatch(/\/MediaBox\s*\[0 0 59[4-6](?:\.\d+)? 84[12](?:\.\d+)?\]/);
  });
});
