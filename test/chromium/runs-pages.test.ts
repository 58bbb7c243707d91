import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { send, useServer, useService } from '../http/service.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';
import { registrant } from './marked-lineage.ts';

const markup = '<img src=x onerror=alert(1)>\u202E';

describeChromium('the pages of runs', ({ open }) => {
  const service = useService();
  const server = useServer(service);
  const runs: string[] = [];

  beforeAll(async () => {
    const params = [0.1, 0.2].map((lr) => ({ values: { lr, epochs: 10 }, cid: blobUrn(`lr: ${lr}`) }));
    for (const [at, { values, cid }] of params.entries())
      runs.push(
        await record(at, [blobUrn('data.csv'), cid], {
          command: ['python3', 'train.py', '--note', "it's"],
          exit_code: 0,
          parameters: [{ path: 'params.yaml', cid, values }],
          metrics: { loss: 0.5 - at / 4, note: markup },
          environment: { SEED: '7', GONE: null },
          git: { commit: 'c0ffee', branch: 'main', clean: at === 0, untracked: 0 },
        }),
      );
    runs.push(await record(2, [blobUrn('data.csv')], { command: ['false'], exit_code: 3 }));
  });

  async function record(minute: number, input: string[], facts: object): Promise<string> {
    const time = `2026-01-31T12:0${minute}:00`;
    const common = { registeredBy: registrant, timestamp: `${time}Z` };
    const put = async (type: 'ComputationRegistration' | 'MetadataRegistration', fields: object) => {
      const statement = ownStatement(type, { ...common, ...fields });
      const { json, text } = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
      expect(json.rdfc_cid, text).toBeDefined();
      return json.rdfc_cid;
    };
    const output = blobUrn(randomUUID());
    const id = await put('ComputationRegistration', { input, output, operatedBy: registrant });
    const started = `${time}.000Z`;
    const document = { type: 'CairnRun', version: 1, name: 'train', started, duration: 75, ...facts };
    const { json } = await send(service, 'PUT', '/store/v1/jcs', document);
    await put('MetadataRegistration', { subject: `urn:cid:${id}`, metadata: `urn:cid:${json.cid}` });
    return id;
  }

  const show = async (page: Page, path: string) => {
    await page.goto(server.url + path);
    await page.locator('#page [aria-busy]').waitFor({ state: 'detached' });
  };

  it('list runs, newest first, and lead from two of them to what differs', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, '/ui');
    const rows = await page.locator('#runs tbody tr').allInnerTexts();
    expect(rows.map((row) => /failed \(exit code 3\)|succeeded/.exec(row)?.[0])).toEqual([
      'failed (exit code 3)',
      'succeeded',
      'succeeded',
    ]);
    expect(rows[0]).toContain('1 min 15 s');
    const compare = page.getByRole('button', { name: 'Compare' });
    expect(await compare.isDisabled()).toBe(true);
    const boxes = page.getByRole('checkbox', { name: /^Choose train, / });
    await boxes.nth(1).check();
    await page.getByText('Choose one more run.').waitFor();
    await boxes.nth(2).check();
    await compare.click();
    await page.getByRole('heading', { name: 'Two runs of train' }).waitFor();
    expect(await page.locator('table').first().innerText()).toMatch(
      /\nParameters\s+A\s+B\s+lr\s+0\.1\s+0\.2 \+0\.1$/,
    );
    const metrics = page.getByRole('table', { name: 'Metrics that differ' });
    expect(await metrics.innerText()).toMatch(/loss\s+0\.5\s+0\.25 −0\.25$/);
    await page.getByText(/^\d+ equal$/).click();
    await page.getByRole('rowheader', { name: 'epochs' }).waitFor();
    await page.getByRole('link', { name: 'Swap A and B' }).click();
    await page.getByText('0.1 −0.1').waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('show on the page of a computation what was done, and compare it with the run before', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, '/ui');
    await page.getByRole('link', { name: 'train', exact: true }).nth(1).click();
    await page.getByRole('heading', { name: 'What was done' }).waitFor();
    await page.getByText(`python3 train.py --note 'it'\\''s'`).waitFor();
    await page.getByRole('button', { name: 'Copy the command' }).waitFor();
    const text = await page.locator('#statement').innerText();
    for (const words of ['succeeded', '1 min 15 s', 'c0ffee', 'with changes', 'loss', '0.25', 'not set'])
      expect(text).toContain(words);
    expect(await page.locator('img[onerror]').count()).toBe(0);
    await page.getByRole('link', { name: 'Compare with the run before' }).click();
    await page.getByRole('heading', { name: 'Two runs of train' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('show the same beside a lineage', async () => {
    await using tab = await open();
    await tab.page.goto(`${server.url}/ui/lineage/${runs[1]}`);
    await tab.page.getByRole('heading', { name: 'What was done' }).waitFor();
    expect(await tab.page.locator('#details').innerText()).toMatch(/loss\s+0\.25/);
    await expectAccessible(tab.page);
    expect(tab.problems).toEqual([]);
  });

  it('say what is wrong with the address of a comparison', async () => {
    await using tab = await open();
    await tab.page.goto(`${server.url}/ui/runs/compare?a=nonsense&b=${runs[0]}`);
    expect(await tab.page.getByRole('alert').innerText()).toContain('"nonsense"');
    await show(tab.page, `/ui/runs/compare?a=${blobUrn('x').replace('urn:cid:', '')}&b=${runs[0]}`);
    expect(await tab.page.getByRole('alert').innerText()).toContain('There is no computation');
  });

  it('are accessible on wide and narrow screens, light and dark', async () => {
    await using tab = await open();
    const { page } = tab;
    const [a, b] = runs;
    for (const path of ['/ui', `/ui/statement/${b}`, `/ui/runs/compare?a=${a}&b=${b}`]) {
      await show(page, path);
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
    }
    expect(tab.problems).toEqual([]);
  });
});
