import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Locator, Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { nameSigner } from '../http/named-signer.ts';
import { putBlob, send, useServer, useService } from '../http/service.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';

const builder = signerWith(newKey());
const { did } = builder;
const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
const bare = (text: string) => cidOf(codecs.raw, text).text;
const markup = '<img src=x onerror=alert(1)>';

describeChromium('the lineage page', ({ open }) => {
  const service = useService();
  const server = useServer(service);
  const made: Record<string, string> = {};

  async function put(type: string, fields: Record<string, unknown>): Promise<string> {
    const statement = {
      '@context': ownContextUrl,
      '@type': type,
      registeredBy: did,
      timestamp: '2026-01-31T12:00:00Z',
    };
    const { status, json } = await send(service, 'PUT', '/statements/v1', {
      statement: { ...statement, ...fields },
      generate_id: true,
    });
    expect(status, JSON.stringify(json)).toBe(201);
    return `urn:cid:${json.rdfc_cid}`;
  }

  async function name(subject: string, metadata: object): Promise<void> {
    await send(service, 'PUT', '/store/v1/jcs', metadata);
    await put('MetadataRegistration', { subject, metadata: cidUrn(cidOf(codecs.jcs, jcs(metadata))) });
  }

  /** raw → table → model → image, a model with many facts, and a release of many files. */
  beforeAll(async () => {
    const program = { name: 'Train' };
    await send(service, 'PUT', '/store/v1/jcs', program);
    const step = async (input: string[], output: string, more = {}) =>
      await put('ComputationRegistration', {
        input: input.map(urn),
        output: urn(output),
        operatedBy: did,
        ...more,
      });
    made.clean = await step(['raw', 'schema'], 'table');
    made.train = await step(['table', 'weights'], 'model', {
      computation: cidUrn(cidOf(codecs.jcs, jcs(program))),
    });
    made.deploy = await step(['model'], 'image');
    await name(made.train, { name: 'Train' });
    await name(urn('model'), { name: 'The model', size: 12 });
    await name(urn('table'), { path: 'data/table.parquet' });
    await name(urn('weights'), { name: markup });
    await name(urn('schema'), { path: `a${'_long_name'.repeat(1_000)}`, note: 'one\u202etwo\u0007' });
    await nameSigner(service, builder, 'The builder');
    await put('DataRegistration', { data: urn('model') });
    const files = Array.from({ length: 60 }, (_, at) => urn(`file ${at}`));
    await put('AssociationRegistration', { subject: urn('release'), association: files, type: 'includes' });
  });

  const node = (page: Page, title: string) =>
    page.locator('.node', {
      has: page.locator('.card .title', { hasText: new RegExp(`^${RegExp.escape(title)}$`) }),
    });
  const focused = (page: Page) => page.locator('.card:focus .title');

  async function show(page: Page, text: string, query = ''): Promise<void> {
    await page.goto(`${server.url}/ui/lineage/${bare(text)}${query}`);
    await page.locator('#view:not([aria-busy])').waitFor();
  }

  it('draws the flow with names and times, and facts on request, and loads only files of this service', async () => {
    await using tab = await open({ timezoneId: 'Asia/Tokyo', locale: 'en-GB' });
    const { page } = tab;
    const documents: string[] = [];
    page.on('request', (request) => {
      if (request.url().includes('/store/v1/blob/')) documents.push(request.url());
    });
    await show(page, 'model');
    expect(await page.locator('h1').textContent()).toBe('Lineage of The model');
    for (const title of ['Train', '…/table.parquet', markup, 'Computation'])
      await node(page, title).first().waitFor();
    expect(
      await page.locator('.node[data-symbol="actor"], .lines g:is(.metadata, .registration)').count(),
    ).toBe(0);
    expect(await node(page, 'The model').locator('.described').isVisible()).toBe(true);
    expect(await page.locator(`.node[data-id="${urn('image')}"] .described`).isVisible()).toBe(false);
    const label = page.locator(`.line[data-from="${made.train}"]`);
    expect(await page.locator(`text[data-from="${made.train}"]`).textContent()).toMatch(/^31 Jan/);
    expect(await label.locator('title').textContent()).toBe('computation: output, 2026-01-31 12:00:00 UTC');
    await page.waitForLoadState('networkidle');
    expect(documents).toHaveLength(1);
    await page.getByLabel('All facts').check();
    await node(page, 'The builder').waitFor();
    const { json } = await send(service, 'GET', `/lineage/v1/${bare('model')}`);
    expect(await page.locator('.node').count()).toBe(json.nodes.length);
    expect(await page.locator('#summary').textContent()).toBe(
      `${json.nodes.length} nodes and ${json.edges.length} edges.`,
    );
    expect(await page.locator('img[onerror], #world img').count()).toBe(0);
    expect(tab.problems).toEqual([]);
  });

  it('shows details of the selected node, copies its identifier and shows statements on request', async () => {
    await using tab = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
    const { page } = tab;
    await show(page, 'image');
    await page.locator('#fit').click();
    await node(page, 'The model').locator('.card').click();
    const details = page.locator('#details');
    await details.locator('h2', { hasText: 'The model' }).waitFor();
    await expect.poll(() => details.locator('table:visible').textContent()).toBe('nameThe modelsize12');
    await expect
      .poll(() => details.locator('h3:visible').allTextContents())
      .toEqual(['Log', 'Metadata', 'In: 1 edge', 'Out: 1 edge', 'Facts: 2 edges']);
    expect(await page.getByRole('link', { name: 'Report' }).getAttribute('href')).toBe(
      `/report/v1/${bare('image')}`,
    );
    await details.getByRole('button', { name: 'Copy the identifier' }).click();
    await page.locator('.copy', { hasText: 'Copied' }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(bare('model'));
    const output = details.locator('.edges > li', {
      has: page.locator('.role', { hasText: /^computation: output$/ }),
    });
    expect(await output.locator('.by').textContent()).toBe('registered by The builder');
    expect(await output.locator('time').getAttribute('title')).toBe('2026-01-31 12:00:00 UTC');
    await page.route('**/statements/v1/id/**', (route) => route.abort('connectionrefused'), { times: 1 });
    await output.locator('summary').click();
    await output.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
    await output.locator('summary').click();
    await output.locator('summary').click();
    await output.locator('pre').waitFor();
    expect(JSON.parse((await output.locator('pre').textContent()) ?? '')).toMatchObject({
      '@id': made.train,
      '@type': 'ComputationRegistration',
    });
    await output.getByRole('button', { name: 'Train' }).click();
    await details.locator('h2:focus', { hasText: 'Train' }).waitFor();
    await details.getByRole('link', { name: 'Start from here' }).click();
    await page.waitForURL((url) => url.pathname.endsWith(`/${made.train?.replace('urn:cid:', '')}`));
    await page.locator('h1', { hasText: 'Lineage of Train' }).waitFor();
    expect(tab.problems).toEqual([expect.stringContaining('ERR_CONNECTION_REFUSED')]);
  });

  it('loads hidden edges of a node, and keeps the position of the node', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'image', '?depth=1&direction=upstream');
    const model = node(page, 'The model');
    const more = model.locator('.more');
    const left = Number((await more.textContent())?.slice(1));
    const { json } = await send(service, 'GET', `/lineage/v1/${bare('image')}?depth=1&direction=upstream`);
    const cut = json.nodes.find(({ id }: { id: string }) => id === urn('model'));
    expect([cut.truncated, left >= cut.hidden_edges]).toEqual([true, true]);
    const before = await model.boundingBox();
    await more.click();
    await node(page, '…/table.parquet').waitFor();
    expect(await model.boundingBox()).toEqual(before);
    expect(await page.locator('#announcements').textContent()).toMatch(/^\d+ new nodes\.$/);
    await page.locator('#fit').click();
    await node(page, '…/table.parquet').locator('.more').click();
    await page.locator(`.node[data-id="${made.clean}"]`).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('can be walked, opened and zoomed by keyboard', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'model', '?direction=upstream');
    for (let at = 0; at < 30 && (await focused(page).count()) === 0; at += 1)
      await page.keyboard.press('Tab');
    expect(await focused(page).textContent()).toBe('The model');
    const outline = await page.locator('.card:focus').evaluate((card) => getComputedStyle(card).outlineStyle);
    expect(outline).toBe('solid');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('Home');
    expect(await focused(page).textContent()).toBe('The model');
    const scale = async () =>
      await page.locator('#world').evaluate((world) => new DOMMatrix(getComputedStyle(world).transform).a);
    const first = await scale();
    await page.keyboard.press('+');
    await expect.poll(scale).toBeCloseTo(first * 1.25, 3);
    await page.keyboard.press('-');
    await expect.poll(scale).toBeCloseTo(first, 3);
    await page.keyboard.press('Escape');
    await page.locator('#details .hint').waitFor();
    await show(page, 'release');
    await page.locator('.card[tabindex="0"]').focus();
    await page.keyboard.press('ArrowRight');
    expect(await focused(page).count()).toBe(1);
    for (let at = 0; at < 60 && (await page.locator('.stack .card:focus').count()) === 0; at += 1) {
      await page.keyboard.press(at < 13 ? 'ArrowDown' : 'ArrowUp');
    }
    const drawnNodes = await page.locator('.node').count();
    await page.keyboard.press('Enter');
    await expect.poll(() => page.locator('.node').count()).toBe(drawnNodes + 24);
    expect(await focused(page).count()).toBe(1);
    expect(tab.problems).toEqual([]);
  });

  it('has a searchable list of all nodes, which also draws hidden nodes', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'release');
    await page.getByText('All nodes as a list').click();
    await page.locator('#filter').fill(bare('file 59').slice(-8));
    await expect.poll(() => page.locator('#nodes button').count()).toBe(1);
    expect(await page.locator('#nodes-note').textContent()).toMatch(/^1 of 6\d$/);
    const card = page.locator(`.node[data-id="${urn('file 59')}"]`);
    expect(await card.count()).toBe(0);
    await page.locator('#nodes button').click();
    await card.waitFor();
    expect(await card.getAttribute('class')).toContain('selected');
    expect(tab.problems).toEqual([]);
  });

  it('keeps its parameters in the address, for links and the back button', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'model');
    await page.getByLabel('Made into').check();
    await expect.poll(() => node(page, '…/table.parquet').count()).toBe(0);
    await page.getByLabel('Depth').fill('3');
    await page.getByLabel('Depth').press('Enter');
    await expect.poll(() => new URL(page.url()).search).toBe('?direction=downstream&depth=3');
    await page.reload();
    expect([
      await page.getByLabel('Made into').isChecked(),
      await page.getByLabel('Depth').inputValue(),
    ]).toEqual([true, '3']);
    await page.goBack();
    await page.goBack();
    await node(page, '…/table.parquet').waitFor();
    expect(await page.getByLabel('Both').isChecked()).toBe(true);
    expect(tab.problems).toEqual([]);
  });

  it('pans and zooms by mouse, and fits everything on request', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'model');
    const transform = async () =>
      await page.locator('#world').evaluate((world) => getComputedStyle(world).transform);
    await page.locator('#fit').click();
    const fitted = await transform();
    const box = await page.locator('#view').boundingBox();
    await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 40);
    await page.mouse.down();
    await page.mouse.move((box?.x ?? 0) + 140, (box?.y ?? 0) + 90, { steps: 3 });
    await page.mouse.up();
    await expect.poll(transform).not.toBe(fitted);
    const dragged = await transform();
    await page.mouse.wheel(0, -300);
    await expect.poll(transform).not.toBe(dragged);
    await page.locator('#fit').click();
    await expect.poll(transform).toBe(fitted);
    expect(tab.problems).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'opens fitted, readable and accessible in %s colours',
    async (colorScheme) => {
      await using tab = await open({ colorScheme, viewport: { width: 390, height: 844 } });
      const { page } = tab;
      for (const path of [bare('schema'), 'nonsense', bare('model')]) {
        await page.goto(`${server.url}/ui/lineage/${path}`);
        await page.locator('#view:not([aria-busy]), .entry').waitFor();
        await page.waitForLoadState('networkidle');
        for (const part of await page.locator('aside > details > summary').all()) {
          if (await part.isVisible()) await part.click();
        }
        await expectAccessible(page);
      }
      const isInView = async (card: Locator) => {
        const [inner, outer] = await Promise.all([card.boundingBox(), page.locator('#view').boundingBox()]);
        if (!inner || !outer) return false;
        const isWithin = (at: 'x' | 'y', size: 'width' | 'height') =>
          inner[at] >= outer[at] && inner[at] + inner[size] <= outer[at] + outer[size];
        return isWithin('x', 'width') && isWithin('y', 'height');
      };
      expect(await isInView(page.locator('.start .card'))).toBe(true);
      const tools = async () => (await page.locator('.tools').boundingBox())?.height ?? 0;
      expect(await tools()).toBeLessThan(45);
      await page.getByRole('button', { name: 'Options' }).click();
      await page.getByLabel('Depth').waitFor();
      expect(await tools()).toBeGreaterThan(45);
      await expectAccessible(page);
      await page.setViewportSize({ width: 1440, height: 900 });
      await show(page, 'model', '?direction=upstream&depth=1');
      await page.waitForLoadState('networkidle');
      for (const card of await page.locator('.card').all()) expect(await isInView(card)).toBe(true);
      const subtitle = page.locator('.start .subtitle');
      const size = await subtitle.evaluate((text) => Number.parseFloat(getComputedStyle(text).fontSize));
      expect(size).toBeGreaterThanOrEqual(12);
      const { height = 0 } = (await page.locator('.start .card').boundingBox()) ?? {};
      expect(height).toBeGreaterThan(40);
      await expectAccessible(page);
      const ground = await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
      expect(ground).toBe(colorScheme === 'light' ? 'rgb(246, 247, 249)' : 'rgb(20, 23, 27)');
    },
  );

  it('shows long names and invisible characters so that they change nothing else', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, 'schema');
    const heading = (await page.locator('h1').textContent()) ?? '';
    expect([heading.startsWith('Lineage of a_long_name'), heading.length]).toEqual([true, 110]);
    const rows = page.locator('.metadata td');
    await expect.poll(() => rows.first().textContent()).toBe('one\ufffdtwo\ufffd');
    expect((await rows.last().textContent())?.length).toBe(501);
    expect(tab.problems).toEqual([]);
  });

  it('says without JavaScript where the same is as text', async () => {
    await using tab = await open({ javaScriptEnabled: false });
    const { page } = tab;
    await page.goto(`${server.url}/ui/lineage/${bare('model')}`);
    expect(await page.locator('#details').innerText()).toContain('The drawing needs JavaScript.');
    expect(await page.locator('button:visible').allTextContents()).toEqual(['Find']);
    expect((await page.request.get(`${server.url}/lineage/v1/${bare('model')}`)).status()).toBe(200);
  });

  it('finds a file by its hash, without sending its bytes', async () => {
    await using tab = await open();
    const { page } = tab;
    const bytes: number[] = [];
    page.on('request', (request) => {
      const isAboutLog = request.url().endsWith('/log/v1/standings');
      bytes.push(isAboutLog ? 0 : (request.postDataBuffer()?.length ?? 0));
    });
    await page.goto(`${server.url}/ui/lineage`);
    const choose = async (name: string, content: string | Buffer) =>
      await page
        .locator('#file input')
        .setInputFiles({ name, mimeType: 'application/octet-stream', buffer: Buffer.from(content) });
    const large = Buffer.alloc(4_500_000, 'large');
    await choose('large.bin', large);
    const alert = page.getByRole('alert').filter({ hasText: 'The service does not know “large.bin”.' });
    await alert.waitFor();
    expect(await page.locator('#file code').textContent()).toBe(cidOf(codecs.raw, large).text);
    const drop = async (type: string) =>
      await page.evaluate((shape) => {
        const carried = new DataTransfer();
        if (shape !== 'text') carried.items.add(new File(['weights'], 'weights.bin'));
        if (shape === 'files') carried.items.add(new File([''], 'second.bin'));
        document.body.dispatchEvent(new DragEvent('drop', { dataTransfer: carried, bubbles: true }));
      }, type);
    await drop('text');
    await alert.waitFor();
    await drop('files');
    await page.getByText('These are 2 files. Drop one.').waitFor();
    const devtools = await page.context().newCDPSession(page);
    const data = { items: [], files: [import.meta.dirname], dragOperationsMask: 1 };
    for (const type of ['dragEnter', 'dragOver', 'drop'] as const)
      await devtools.send('Input.dispatchDragEvent', { type, x: 50, y: 300, data });
    await page.getByText('This is a folder. Drop a single file.').waitFor();
    await drop('file');
    await page.waitForURL(`${server.url}/ui/lineage/${bare('weights')}`);
    await page.locator('h1', { hasText: markup }).waitFor();
    expect(Math.max(...bytes)).toBe(0);
    expect(tab.problems.filter((problem) => !problem.includes('404'))).toEqual([]);
  });

  it('opens by a link on another site, which cannot request data itself', async () => {
    await using tab = await open();
    const { page } = tab;
    const address = `${server.url}/ui/lineage/${bare('model')}`;
    const data = `${server.url}/lineage/v1/${bare('model')}`;
    const other = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end(`<a href="${address}">lineage</a>`),
    ).listen(0, '127.0.0.1');
    await once(other, 'listening');
    await page.goto(`http://localhost:${(other.address() as AddressInfo).port}`);
    const answer = page.waitForResponse(data);
    const status = page.evaluate(async (url) => (await fetch(url, { mode: 'no-cors' })).type, data);
    expect([(await answer).status(), await status]).toEqual([403, 'opaque']);
    await page.getByRole('link').click();
    await node(page, 'The model').waitFor();
    other.close();
  });

  describe('without anything to draw', () => {
    it('reports an unknown identifier and what to do', async () => {
      await using tab = await open();
      await show(tab.page, 'unheard of');
      await tab.page.getByRole('alert').filter({ hasText: 'Nothing that you may see speaks of' }).waitFor();
      expect(await tab.page.locator('#notice').textContent()).toContain('Check the identifier');
      expect(await tab.page.locator('#notice button').count()).toBe(0);
    });

    it('reports an invalid identifier and accepts another one', async () => {
      await using tab = await open();
      const { page } = tab;
      expect((await page.goto(`${server.url}/ui/lineage/nonsense`))?.status()).toBe(400);
      expect(await page.getByRole('alert').textContent()).toBe(
        '"nonsense" is neither a CID, nor a UUID, nor a DID.',
      );
      await page.locator('#id').fill(` ${bare('model')} `);
      await page.getByRole('button', { name: 'Show its lineage' }).click();
      await node(page, 'The model').waitFor();
    });

    it('reports that an artefact has no lineage', async () => {
      await using tab = await open();
      await putBlob(service, 'a blob of which nobody speaks');
      await show(tab.page, 'a blob of which nobody speaks');
      await tab.page.getByText('Nothing that you may see leads to it or away from it.').waitFor();
      expect(await tab.page.locator('.node').count()).toBe(1);
      expect(tab.problems).toEqual([]);
    });

    it('tries again when the service is busy or away', async () => {
      await using tab = await open();
      const { page } = tab;
      await page.goto(`${server.url}/ui/lineage`);
      const busy = {
        error: 'Too much at once. Try again in a second.',
        code: 'unavailable',
        request_id: '1',
      };
      let answers = 0;
      await page.route('**/lineage/v1/**', async (route) => {
        answers += 1;
        if (answers === 1) await route.fulfill({ status: 503, json: busy });
        else if (answers === 2) await route.abort('connectionrefused');
        else await route.continue();
      });
      await page.goto(`${server.url}/ui/lineage/${bare('model')}`);
      await page.getByRole('alert').filter({ hasText: busy.error }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await page.getByRole('alert').filter({ hasText: 'The service does not answer.' }).waitFor();
      await page.getByRole('button', { name: 'Try again' }).click();
      await node(page, 'The model').waitFor();
      expect(await page.locator('#notice').isHidden()).toBe(true);
    });
  });
});
