import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { beforeAll, expect, it } from 'vitest';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { newCredential } from '../builders/credentials.ts';
import { ownStatement } from '../builders/statements.ts';
import { nameSigner } from '../http/named-signer.ts';
import { putBlob, send, useServer, useService } from '../http/service.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';
import { storeGovernance } from './governed-subject.ts';
import { artefact, registrant, signer, storeMarkedLineage } from './marked-lineage.ts';

const disguised = 'model\u202Egnp.exe\u0007<img src=x onerror=alert(1)>';

describeChromium('the start page and the pages of graphs and statements', ({ open }) => {
  const service = useService();
  const server = useServer(service);
  const empty = useServer(useService());
  const graph = randomUUID();
  const child = randomUUID();
  const ids: Record<string, string> = {};

  beforeAll(fill);

  async function put(statement: object, more: object = {}): Promise<string> {
    const { status, json, text } = await send(service, 'PUT', '/statements/v1', {
      statement,
      generate_id: true,
      ...more,
    });
    expect(status, text).toBeLessThan(300);
    return json.rdfc_cid;
  }

  async function name(subject: string, metadata: object): Promise<void> {
    await send(service, 'PUT', '/store/v1/jcs', metadata);
    await put(
      ownStatement('MetadataRegistration', { subject, metadata: cidUrn(cidOf(codecs.jcs, jcs(metadata))) }),
    );
  }

  async function fill(): Promise<void> {
    await storeMarkedLineage(service);
    await storeGovernance(service);
    await send(service, 'PUT', '/graph/v1', { graph_id: graph, name: 'Experiments' });
    await send(service, 'PUT', '/graph/v1', { graph_id: child, name: 'Evaluation', parent_id: graph });
    for (const text of ['data.csv', 'train.py', 'model.bin']) {
      await putBlob(service, text);
      await name(artefact(text), { name: text });
    }
    await nameSigner(service, signer, 'The data team');
    await name(artefact('odd'), { name: disguised });
    ids.train = await put(
      ownStatement('ComputationRegistration', {
        input: [artefact('data.csv'), artefact('train.py')],
        output: artefact('model.bin'),
        operatedBy: registrant,
      }),
      { graph_id: graph },
    );
    await name(`urn:cid:${ids.train}`, { name: 'train', command: ['python', 'train.py'], exit_code: 0 });
    ids.odd = await put(ownStatement('DataRegistration', { data: artefact('odd') }), {
      graph_id: graph,
      issue_vc: true,
    });
    const { json: context } = await send(service, 'PUT', '/store/v1/jcs', {
      '@context': { '@vocab': 'https://vocabulary.example/', about: { '@type': '@id' } },
    });
    const foreign = {
      '@context': `urn:cid:${context.cid}`,
      '@type': 'DataSheet',
      about: artefact('data.csv'),
      rowCount: 3,
    };
    ids.foreign = await put(foreign, { graph_id: child });
    const found = await send(service, 'GET', '/statements/v1?type=CredentialRegistration&limit=1');
    ids.credential = found.json.statements[0].id.replace('urn:cid:', '');
  }

  const show = async (page: Page, path: string, { url } = server) => {
    const answer = await page.goto(url + path);
    await page.locator('#page [aria-busy]').waitFor({ state: 'detached' });
    return answer;
  };

  it('find a file that is dropped on the field of the header, without sending its bytes', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.goto(`${server.url}/ui/graph/${graph}`);
    await page.evaluate(() => {
      const carried = new DataTransfer();
      carried.items.add(new File(['model.bin'], 'renamed.bin'));
      const dropped = new DragEvent('drop', { dataTransfer: carried, bubbles: true, cancelable: true });
      document.querySelector('#search')?.dispatchEvent(dropped);
    });
    await page.waitForURL(`${server.url}/ui/search?q=${artefact('model.bin').slice('urn:cid:'.length)}`);
    await page.locator('#results').getByRole('link', { name: 'model.bin' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('say in an empty service what to do first', async () => {
    await using tab = await open();
    await show(tab.page, '/ui', empty);
    await tab.page.getByText('cairn record --name train').waitFor();
    expect(await tab.page.locator('#service-url').textContent()).toBe(empty.url);
    expect(await tab.page.locator('#found').isVisible()).toBe(false);
    await expectAccessible(tab.page);
    expect(tab.problems).toEqual([]);
  });

  it('lead from a name to the statement about it, and from there to its graph', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, '/ui');
    await page.getByLabel('Name, hash').fill('TRAI');
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'train', exact: true }).click();
    await page.getByRole('heading', { name: 'train made model.bin from data.csv and train.py' }).waitFor();
    const says = await page.locator('.members').first().innerText();
    for (const words of ['Input', 'what went in', 'data.csv', 'Output', 'The data team'])
      expect(says).toContain(words);
    expect(await page.getByText('Nothing proves that it was them.').count()).toBe(1);
    expect(await page.locator('.card').innerText()).toContain('python');
    await page.getByText('The statement as JSON').click();
    await page.locator('pre', { hasText: '"@type": "ComputationRegistration"' }).waitFor();
    await page.getByText('The statement as N-Quads').click();
    await page.locator('pre', { hasText: `<${artefact('model.bin')}>` }).waitFor();
    await page.getByRole('navigation', { name: 'Path' }).getByRole('link', { name: 'Experiments' }).click();
    await page.getByRole('heading', { name: 'Experiments' }).waitFor();
    await page.getByRole('link', { name: 'Evaluation' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it.each([1_440, 390])(
    'find things from the header of any page by keyboard, %i pixels wide',
    async (width) => {
      await using tab = await open({ viewport: { width, height: 800 } });
      const { page } = tab;
      for (const path of [
        '/ui',
        `/ui/graph/${graph}`,
        `/ui/lineage/${artefact('model.bin')}`,
        '/ui/nowhere',
      ]) {
        await page.goto(server.url + path);
        await page.getByLabel('Find anything').locator('visible=true').last().fill('odel.b');
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Search for “odel.b”' }).waitFor();
        await page
          .getByRole('table', { name: 'Artefacts' })
          .getByRole('link', { name: 'model.bin' })
          .waitFor();
      }
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      await expectAccessible(page);
      await page.getByRole('table', { name: 'Artefacts' }).getByRole('link', { name: 'model.bin' }).click();
      await page.getByRole('heading', { name: 'Lineage of' }).waitFor();
    },
  );

  it('find things in graphs with long names without scrolling sideways, and say how much was found', async () => {
    const name = `Kreditmodell ${'mit einem langen Namen '.repeat(7)}${'x'.repeat(25)}`;
    const graph_id = randomUUID();
    await send(service, 'PUT', '/graph/v1', { graph_id, name });
    const content = { name: 'in a long graph' };
    await send(service, 'PUT', '/store/v1/jcs', content);
    const metadata = cidUrn(cidOf(codecs.jcs, jcs(content)));
    await put(ownStatement('MetadataRegistration', { subject: artefact('long'), metadata }), { graph_id });
    for (const width of [390, 900, 1_400]) {
      await using tab = await open({ viewport: { width, height: 800 } });
      await tab.page.goto(`${server.url}/ui/search?q=in a long graph`);
      await tab.page.getByRole('link', { name }).waitFor();
      expect(await tab.page.evaluate(() => document.documentElement.scrollWidth)).toBe(width);
      expect(await tab.page.locator('#announcements').textContent()).toBe('1 group of results');
    }
  });

  it('show credentials with the statement that they are about, and put other credentials into words', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, `/ui/graph/${graph}`);
    expect(await page.locator('#statements .kind').allTextContents()).toEqual(['Data', 'Computation']);
    expect(await page.getByRole('link', { name: 'credential', exact: true }).count()).toBe(1);
    await show(page, '/ui?type=CredentialRegistration');
    const says = await page.locator('#statements th[scope=row]').allInnerTexts();
    expect(
      says.filter((text) => /^Credential\s+Signature of .+ on “.+ made .+”$/.test(text)).length,
    ).toBeGreaterThan(0);
    expect(tab.problems).toEqual([]);
  });

  it('call each credential of a long list after what it vouches for', async () => {
    const things = Array.from({ length: 25 }, (_, at) => artefact(`signed ${at}`));
    await Promise.all(
      things.map(
        async (data) =>
          await put(ownStatement('DataRegistration', { data }), { issue_vc: true, graph_id: child }),
      ),
    );
    await using tab = await open();
    await show(tab.page, '/ui?type=CredentialRegistration');
    const says = await tab.page.locator('#statements th[scope=row] a').allInnerTexts();
    expect(says.length).toBeGreaterThan(25);
    expect(says.filter((text) => text.includes('on statement'))).toEqual([]);
  });

  it('call metadata by what it describes, and governance documents by their names', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, '/ui?type=MetadataRegistration');
    const row = page.getByRole('link', { name: /described model\.bin$/ });
    await row.click();
    await page.getByRole('heading', { name: /described model\.bin$/ }).waitFor();
    await show(page, '/ui?type=GovernanceRegistration');
    const says = (await page.locator('#statements th[scope=row] a').allInnerTexts()).join();
    expect(says).toContain('is governed by the declaration “');
    expect(tab.problems).toEqual([]);
  });

  it('export a graph with the graphs in it', async () => {
    await using tab = await open();
    await show(tab.page, `/ui/graph/${graph}`);
    const [download] = await Promise.all([
      tab.page.waitForEvent('download'),
      tab.page.getByRole('button', { name: 'Export and download' }).click(),
    ]);
    const manifest = JSON.parse(await readFile(await download.path(), 'utf8'));
    expect(Object.keys(manifest.statements)).toContain(`urn:cid:${ids.train}`);
    expect(Object.keys(manifest.blobs).length).toBeGreaterThan(2);
    expect(tab.problems).toEqual([]);
  });

  it('put statements of other vocabularies into words', async () => {
    await using tab = await open();
    await show(tab.page, `/ui/statement/${ids.foreign}`);
    await tab.page.getByRole('heading', { name: 'Data sheet: data.csv' }).waitFor();
    expect(await tab.page.locator('.members').innerText()).toMatch(/Row count\s+3/);
    expect(tab.problems).toEqual([]);
  });

  it('show a name that disguises itself as text, and find it by its registrant', async () => {
    await using tab = await open();
    const { page } = tab;
    await show(page, `/ui/statement/${ids.odd}`);
    expect(await page.locator('h1').textContent()).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u);
    expect(await page.locator('img[onerror]').count()).toBe(0);
    await show(page, '/ui?by=the+data&type=DataRegistration');
    await page.getByRole('heading', { name: 'Statements of the kind Data registered by' }).waitFor();
    expect(tab.problems).toEqual([]);
  });

  it('have links that all lead somewhere, and are accessible on wide and narrow screens, light and dark', async () => {
    await using tab = await open();
    const { page } = tab;
    const statements = [ids.train, ids.credential].map((id) => `/ui/statement/${id}`);
    const links = new Set<string>();
    for (const path of ['/ui', '/ui/statements', '/ui?q=m', `/ui/graph/${graph}`, ...statements]) {
      await show(page, path);
      for (const [width, colorScheme] of [
        [1440, 'light'],
        [390, 'dark'],
      ] as const) {
        await page.setViewportSize({ width, height: 844 });
        await page.emulateMedia({ colorScheme });
        await expectAccessible(page);
      }
      const found = await page
        .locator('a[href]')
        .evaluateAll((all) => all.map((one) => (one as HTMLAnchorElement).href));
      for (const link of found) links.add(link);
    }
    expect(tab.problems).toEqual([]);
    const answers = await Promise.all([...links].map(async (link) => [link, (await fetch(link)).status]));
    expect(answers.filter(([, status]) => status !== 200)).toEqual([]);
  });

  it('keep each list in its column on windows of any width', async () => {
    await using tab = await open();
    const { page } = tab;
    for (const path of ['/ui', '/ui/statements', `/ui/graph/${graph}`]) {
      await show(page, path);
      for (const width of [801, 1000, 1200, 1201]) {
        await page.setViewportSize({ width, height: 844 });
        const places = await page
          .locator('table.records')
          .evaluateAll((all) =>
            all.map((one) =>
              [one, one.parentElement ?? one].map((each) => each.getBoundingClientRect().right),
            ),
          );
        expect(places.length).toBeGreaterThan(0);
        for (const [right = 0, end = 0] of places) expect(right, `${path} at ${width}`).toBeLessThan(end + 1);
      }
    }
  });

  it('say what to do if the service is gone, or asks for a token', async () => {
    await using tab = await open();
    const { page } = tab;
    await page.route('**/statements/v1/**', async (route) => await route.abort());
    await show(page, `/ui/statement/${ids.train}`);
    await page.getByRole('alert').getByText('The service does not answer.').waitFor();
    await page.unroute('**/statements/v1/**');
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('heading', { name: 'train made model.bin' }).waitFor();
    const refusal = { status: 401, json: { error: 'The request has no token.', code: 'unauthorized' } };
    await page.route('**/runs/v1?**', async (route) => await route.fulfill(refusal));
    await show(page, '/ui');
    await page.getByText('a page has none').waitFor();
    expect(await page.getByRole('alert').textContent()).toBe('The request has no token.');
  });

  it('say of a credential that nothing proves that it only claims to be a signature', async () => {
    await using tab = await open();
    const proof = { type: 'DataIntegrityProof', proofValue: 'z1' };
    const subject = { credentialSubject: { id: artefact('model.bin') } };
    const forged = await put(
      ownStatement('CredentialRegistration', {
        credential: { ...newCredential({ issuer: registrant, ...subject }), proof },
      }),
    );
    const wrong = await put(
      ownStatement('CredentialRegistration', { subject: artefact('model.bin'), sigstoreBundle: 'e30=' }),
    );
    await show(tab.page, `/ui/statement/${forged}`);
    const heading = tab.page.locator('#heading');
    expect(await heading.innerText()).toBe('Claimed signature of The data team on model.bin');
    await show(tab.page, `/ui/statement/${wrong}`);
    expect(await heading.innerText()).toBe('Claimed signature of somebody on model.bin');
    await show(tab.page, '/ui?type=CredentialRegistration');
    const says = await tab.page.locator('#statements th[scope=row]').allInnerTexts();
    const about = says.filter((text) => text.endsWith('on model.bin'));
    expect(about.map((text) => text.includes('Claimed'))).toEqual([true, true]);
    expect(tab.problems).toEqual([]);
  });
});
