import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { withAttachments } from '../../src/domain/integrity/manifest/attach.ts';
import { inMemory } from '../../src/domain/json/random-access.ts';
import { identified, manifestOf, signed } from '../builders/evidence.ts';
import { newKey } from '../builders/keys.ts';
import { blobUrn, type Json, ownStatement } from '../builders/statements.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { expectAccessible } from './accessible.ts';
import { describeChromium } from './chromium.ts';

const key = newKey();

async function registered(kind: 'ComputationRegistration' | 'DataRegistration', fields: Json) {
  const statement = { ...ownStatement(kind, fields), registeredBy: key.did };
  return await identified((await signed(statement, key)) as Json & object);
}

/** What the page says of policies that are dropped beside manifests. */
describeChromium('the verifier, with a policy,', ({ open }) => {
  const folder = temporaryFolder();
  const place = (name: string) => join(folder.path, name);
  const html = place('verify.html');
  let manifest: string;
  afterAll(() => folder[Symbol.dispose]());
  beforeAll(async () => {
    writeFileSync(html, (await cairn(['verifier'])).stdout);
    const fields = { computation: blobUrn('program'), input: blobUrn('data'), operatedBy: key.did };
    const made = ['model', 'other'].map((name) =>
      registered('ComputationRegistration', { ...fields, output: blobUrn(name) }),
    );
    const data = registered('DataRegistration', { data: blobUrn('data') });
    manifest = write('evidence.json', manifestOf(await Promise.all([...made, data])));
    write('model', 'model');
  });

  function write(name: string, content: unknown): string {
    const isBytes = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(place(name), isBytes ? content : JSON.stringify(content));
    return place(name);
  }

  function policy(name: string, signer: string, ...rules: Json[]): string {
    return write(name, { cairn: 'policy/1', name, signers: { builder: [signer] }, rules });
  }
  const isSigned = { name: 'signed by the builder', require: 'made_by.exists(c, c.signed_by == "builder")' };
  const isReviewed = { name: 'was reviewed', require: 'reviews.exists(r, r.decision == "approved")' };
  const hasBill = { name: 'no open vulnerability', require: 'vulnerabilities.size() == 0' };

  async function verifier() {
    const tab = await open();
    tab.page.setDefaultTimeout(60_000);
    await tab.page.goto(`file://${html}`);
    return tab;
  }

  async function drop(page: Page, ...paths: string[]): Promise<void> {
    const startOver = page.getByRole('button', { name: 'Start over' });
    if (await startOver.isVisible()) await startOver.click();
    await page.setInputFiles('input[type=file]', paths);
    await finished(page);
  }

  async function finished(page: Page): Promise<void> {
    await page.locator('#outcomes > *').first().waitFor();
    await page.locator('#status:empty').waitFor({ state: 'attached' });
  }

  /** Code, text and JSON of the last verdict on the page. The time of a check is another each time. */
  async function onPage(page: Page) {
    const verdict = page.locator('.verdict').last();
    const code = Number(await verdict.getAttribute('data-exit-code'));
    const text = (await verdict.locator('.findings li').allInnerTexts()).join('\n');
    const link = verdict.locator('a[download]');
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return { code, text: flat(text), answer: withoutTime(readFileSync(await download.path(), 'utf8')) };
  }

  async function onCommandLine(...args: string[]) {
    const { code, stdout: text } = await cairn(['check', ...args]);
    const { stdout: json } = await cairn(['check', ...args, '--json']);
    return { code, text: flat(text), answer: withoutTime(json) };
  }

  const flat = (text: string) => text.replaceAll(/\s+/g, ' ').trim();
  const withoutTime = (json: string) => ({ ...JSON.parse(json), checked_at: '' });

  it.each([
    ['pass.json', 0, key.did, [isSigned]],
    ['fail.json', 1, newKey().did, [isSigned, isReviewed]],
    ['cannot-tell.json', 4, key.did, [isSigned, hasBill]],
  ])(
    'says of %s what the command line says, about all results and about a file',
    async (name, code, did, rules) => {
      await using tab = await verifier();
      const path = policy(name, did, ...rules);
      const ofResults = await onCommandLine(manifest, '--policy', path);
      expect(ofResults.code).toBe(code);
      await drop(tab.page, manifest, path);
      const { text, ...all } = await onPage(tab.page);
      expect(all).toEqual({ code, answer: ofResults.answer });
      expect(text).toContain(ofResults.text);

      const model = place('model');
      await drop(tab.page, manifest, path, model);
      const ofFile = await onCommandLine(model, '--manifest', manifest, '--policy', path);
      expect(await onPage(tab.page)).toEqual(ofFile);
      expect(ofFile.answer.verdicts).toHaveLength(1);
    },
  );

  it('takes the CAR of a report', async () => {
    await using tab = await verifier();
    const path = policy('pass.json', key.did, isSigned);
    const attached = [readFileSync(path), Buffer.from('<!doctype html><p>A report.</p>')];
    const attachments = attached.map((bytes) => ({ cid: cidOf(codecs.raw, bytes), bytes }));
    const car = withAttachments(inMemory(readFileSync(manifest)), 'json', attachments);
    const file = write('report.car', Buffer.concat(await Array.fromAsync(car)));
    await drop(tab.page, file, path);
    expect(await tab.page.locator('.verdict').first().getAttribute('data-exit-code')).toBe('0');
    expect(await onPage(tab.page)).toEqual(await onCommandLine(file, '--policy', path));
  });

  it('says of a manifest that was altered that nothing passes', async () => {
    await using tab = await verifier();
    const altered = write('altered.json', readFileSync(manifest, 'utf8').replaceAll(key.did, newKey().did));
    const path = policy('pass.json', key.did, isSigned);
    await drop(tab.page, altered, path);
    const said = await onCommandLine(altered, '--policy', path);
    expect(said.code).not.toBe(0);
    expect(Number(await tab.page.locator('.verdict').last().getAttribute('data-exit-code'))).toBe(said.code);
  });

  it('says where a policy is faulty', async () => {
    await using tab = await verifier();
    const path = write(
      'faulty.yaml',
      'cairn: policy/1\nname: faulty\nrules:\n  - name: one\n    require: subjet.kind == "model"\n  - name: other\n    reqire: "true"\n',
    );
    await drop(tab.page, manifest, path);
    const { code, stderr } = await cairn(['check', manifest, '--policy', path]);
    const verdict = tab.page.locator('.verdict').first();
    expect(Number(await verdict.getAttribute('data-exit-code'))).toBe(code);
    const problems = await verdict.locator('.findings li').allInnerTexts();
    expect(flat(stderr)).toContain(flat(problems.join(' ')).replaceAll(basename(path), path));
    expect(problems[0]).toMatch(/^faulty\.yaml:6:\d+: /);
  });

  it('applies each policy to each manifest, and asks for what is missing', async () => {
    await using tab = await verifier();
    const policies = [policy('one.json', key.did, isSigned), policy('two.json', key.did, isReviewed)];
    const second = write('second.json', JSON.parse(readFileSync(manifest, 'utf8')));
    await drop(tab.page, manifest, second, ...policies);
    expect(await tab.page.locator('.verdict .file').allInnerTexts()).toEqual([
      ...['evidence.json', 'second.json'],
      ...['one.json on evidence.json', 'two.json on evidence.json'],
      ...['one.json on second.json', 'two.json on second.json'],
    ]);
    await expectAccessible(tab.page);

    await drop(tab.page, ...policies.slice(0, 1), place('model'));
    expect(await tab.page.locator('.verdict').first().innerText()).toContain('there is no manifest');
  });

  it('takes the name of what is checked and the DID of the service from fields', async () => {
    await using tab = await verifier();
    const path = policy('service.json', 'service', isSigned);
    await drop(tab.page, manifest, path);
    expect(await tab.page.locator('.verdict').last().innerText()).toContain('signer “service”');
    await tab.page.fill('#subject', blobUrn('model'));
    await tab.page.fill('#service', key.did);
    await tab.page.getByRole('button', { name: 'Verify again' }).click();
    await finished(tab.page);
    const args = [blobUrn('model'), '--manifest', manifest, '--policy', path, '--service', key.did];
    const said = await onCommandLine(...args);
    expect(said.code).toBe(0);
    expect(await onPage(tab.page)).toEqual(said);
  });
});
