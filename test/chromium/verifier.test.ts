import { closeSync, mkdirSync, openSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { basename, dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { carHeader, sectionHead } from '../../src/domain/integrity/car/writing.ts';
import { type Cid, cidOf, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { signDsse } from '../../src/domain/integrity/proofs/dsse.ts';
import { formatVkey, keyTypes } from '../../src/domain/log/notes/vkey.ts';
import { completeManifest, named } from '../builders/complete-manifest.ts';
import {
  identified,
  manifestOf,
  revocationList,
  signed,
  signedCredential,
  statusEntry,
} from '../builders/evidence.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { freshSigner } from '../builders/log-keys.ts';
import { origin } from '../builders/published-log.ts';
import { usePool } from '../builders/statement-pool.ts';
import {
  blobUrn,
  dataStatement,
  didStatement,
  dsseFields,
  type Json,
  ndjson,
  ownStatement,
  sigstoreFields,
} from '../builders/statements.ts';
import { cairn, temporaryFolder } from '../cli/run-cairn.ts';
import { describeTestData, testDataPath } from '../test-data.ts';
import { expectAccessible, phone } from './accessible.ts';
import { describeChromium } from './chromium.ts';

const largeBytes = 200 << 20;
const keyKinds = ['Ed25519', 'P-256', 'secp256k1', 'P-384'] as const;

describeChromium('the verifier, opened from a disk,', ({ open }) => {
  const pool = usePool();
  const folder = temporaryFolder();
  const place = (name: string) => join(folder.path, name);
  const html = place('verify.html');
  afterAll(() => folder[Symbol.dispose]());
  beforeAll(async () => {
    const { code, stdout } = await cairn(['verifier']);
    expect(code).toBe(0);
    writeFileSync(html, stdout);
  });

  function write(name: string, content: unknown): string {
    const path = place(name);
    mkdirSync(dirname(path), { recursive: true });
    const isText = typeof content === 'string' || content instanceof Uint8Array;
    writeFileSync(path, isText ? content : JSON.stringify(content));
    return path;
  }

  async function openVerifier() {
    const tab = await open();
    const requests: string[] = [];
    tab.page.on('request', (request) => requests.push(request.url()));
    await tab.page.goto(`file://${html}`);
    /** Everything that the page has loaded, beside itself and its own workers. */
    const loaded = () => requests.filter((url) => !url.startsWith('blob:') && url !== `file://${html}`);
    return { page: tab.page, loaded, [Symbol.asyncDispose]: () => tab[Symbol.asyncDispose]() };
  }

  /** What the page says about the only file that is verified, as the command line would. */
  async function onPage(page: Page, paths: readonly string[], trusted: readonly string[] = []) {
    await drop(page, paths, trusted);
    const verdict = page.locator('.verdict');
    const code = Number(await verdict.getAttribute('data-exit-code'));
    const link = verdict.locator('a[download]');
    if ((await link.count()) === 0) return { code, found: [] };
    const [download] = await Promise.all([page.waitForEvent('download'), link.click()]);
    return { code, found: lines(readFileSync(await download.path(), 'utf8')) };
  }

  async function drop(page: Page, paths: readonly string[], trusted: readonly string[] = []) {
    await page.fill('#trusted', trusted.join('\n'));
    const startOver = page.getByRole('button', { name: 'Start over' });
    if (await startOver.isVisible()) await startOver.click();
    await page.setInputFiles('input[type=file]', [...paths]);
    await finished(page);
  }

  async function finished(page: Page): Promise<void> {
    await page.locator('#outcomes > *').first().waitFor();
    await page.locator('#status:empty').waitFor({ state: 'attached' });
  }

  async function onCommandLine(path: string, ...flags: string[]) {
    const { code, stdout } = await cairn(['verify', path, '--json', ...flags]);
    return { code, found: lines(stdout.replaceAll(path, basename(path))) };
  }

  const data = (text: string, registeredBy: string) => ({ ...dataStatement(blobUrn(text)), registeredBy });
  const car = (root: string, blobs: readonly Uint8Array[]) => {
    const section = (cid: Cid, bytes: Uint8Array) => [sectionHead(cid, bytes.length), bytes];
    const name = cidOf(codecs.raw, root);
    const sections = blobs.flatMap((bytes) => section(cidOf(codecs.raw, bytes), bytes));
    return Buffer.concat([carHeader(name), ...section(name, Buffer.from(root)), ...sections]);
  };

  it('says of manifests with keys of each kind, genuine and forged, what the command line says', async () => {
    await using tab = await openVerifier();
    const keys = keyKinds.map((kind) => newKey(kind));
    const good = keys.map(async (key) =>
      identified((await signed(data(key.did, key.did), key)) as Json & object),
    );
    const manifest = manifestOf(await Promise.all(good));
    const forged = keys.reduce(
      (text, { did }, at) => text.replace(did, newKey(keyKinds[at]).did),
      JSON.stringify(manifest),
    );
    const trusted = keys.map(({ did }) => did);
    const flags = trusted.flatMap((did) => ['--signer', did]);
    for (const path of [write('genuine.json', manifest), write('forged.json', forged)])
      expect(await onPage(tab.page, [path], trusted)).toEqual(await onCommandLine(path, ...flags));
    expect(tab.loaded()).toEqual([]);
  });

  it('says of a manifest by strangers, and of a part of one, what the command line says', async () => {
    await using tab = await openVerifier();
    const key = newKey();
    const good = await identified((await signed(data('a', key.did), key)) as Json & object);
    const whole = write('whole-file.json', manifestOf([good]));
    const cut = write('cut.json', JSON.stringify(manifestOf([good])).slice(0, -9));
    const stranger = newKey().did;
    expect(await onPage(tab.page, [whole])).toEqual(await onCommandLine(whole));
    expect(await onPage(tab.page, [whole], [stranger])).toEqual(
      await onCommandLine(whole, '--signer', stranger),
    );
    expect(await onPage(tab.page, [cut])).toEqual(await onCommandLine(cut));
  });

  it('says of a CAR, its damaged copy, and keys in files what the command line says', async () => {
    await using tab = await openVerifier();
    const key = newKey();
    const bytes = Buffer.from('training data '.repeat(30_000));
    const statement = await identified((await signed(data(bytes.toString(), key.did), key)) as Json & object);
    const { blobs: _, ...root } = manifestOf([statement]);
    const whole = car(JSON.stringify(root), [bytes]);
    const jwk = write('keys/key.jwk', key.jwk);
    const flags = ['--keys', dirname(jwk)];
    const genuine = write('evidence.car', whole);
    const known = await onPage(tab.page, [genuine, jwk]);
    expect(known).toEqual(await onCommandLine(genuine, ...flags));
    expect(known.found.at(-1)).toMatchObject({ summary: { verdict: 'known', blobs: 1 } });
    expect(await tab.page.locator('.verdict.good').count()).toBe(1);
    const damaged = Buffer.from(whole);
    damaged[damaged.length - 5] = 0;
    const path = write('damaged.car', damaged);
    expect(await onPage(tab.page, [path, jwk])).toEqual(await onCommandLine(path, ...flags));
    expect(await tab.page.locator('.verdict.bad').count()).toBe(1);
  });

  it('checks logs, witnesses and receipts like the command line', async () => {
    await using tab = await openVerifier();
    const signer = freshSigner(origin);
    const witnesses = [
      freshSigner('witness.example', keyTypes.ed25519Cosigner),
      freshSigner('other.example', keyTypes.mlDsa44Cosigner),
    ];
    const statements = await named(pool.identifier, [1, 2, 3].map(didStatement));
    const options = { signer, witnesses, nonce: Buffer.alloc(32, 7) };
    const { manifest, receipt } = await completeManifest(statements, options);
    const names = witnesses.map(({ vkey }, at) => `witness w${at} ${formatVkey(vkey)}\n`).join('');
    const policy = write(
      'log.policy',
      `log ${formatVkey(signer.vkey)}\n${names}group all all w0 w1\nquorum all\n`,
    );
    const withPolicy = ['--log-policy', policy];
    const whole = write('whole.json', manifest);
    const proof = write('first.tlog-proof', await receipt(1));
    const omitting = write('omitting.json', (await completeManifest(statements.slice(1), options)).manifest);
    const { [String(statements[1]?.id)]: _, ...fewer } = manifest.statements as Json;
    const less = write('less.json', { ...manifest, statements: fewer });
    const damaged = write('damaged.tlog-proof', readFileSync(proof, 'utf8').replace(/[0-8]\n/, '9\n'));
    const cases: [paths: string[], flags: string[]][] = [
      [[whole], []],
      [[whole, policy], withPolicy],
      [[less, policy], withPolicy],
      [[proof], []],
      [[proof, policy], withPolicy],
      [[damaged, policy], withPolicy],
      [
        [whole, proof, policy],
        [...withPolicy, '--receipt', proof],
      ],
      [
        [omitting, proof, policy],
        [...withPolicy, '--receipt', proof],
      ],
    ];
    for (const [paths, flags] of cases) {
      const [subject = ''] = paths;
      const expected = await onCommandLine(subject, ...flags);
      const renamed = JSON.parse(JSON.stringify(expected).replaceAll(proof, basename(proof)));
      expect(await onPage(tab.page, paths), paths.join()).toEqual(renamed);
    }
    const strangerKey = formatVkey(freshSigner(origin).vkey);
    expect(await onPage(tab.page, [whole], [strangerKey])).toEqual(
      await onCommandLine(whole, '--log-key', strangerKey),
    );
  });

  it('checks credentials, statements, lines and envelopes like the command line', async () => {
    await using tab = await openVerifier();
    const issuer = newKey('P-256');
    const credential = await signedCredential(issuer, { credentialStatus: statusEntry(3) });
    const list = write('list.json', await revocationList(issuer, [3]));
    const path = write('credential.json', credential);
    const verified = await onPage(tab.page, [path, list], [issuer.did]);
    const flags = ['--status-list', list, '--signer', issuer.did];
    expect(verified).toEqual(await onCommandLine(path, ...flags));
    expect(verified.code).toBe(1);
    const statement = await identified(data('a', issuer.did));
    const payload = Buffer.from(JSON.stringify({ subject: 'a' }));
    const held = keyKinds.map(async (kind) => ({
      credentialDsse: await signDsse(signerWith(newKey(kind)), 'application/json', payload),
    }));
    const fields = [dsseFields, sigstoreFields, { credential }, ...(await Promise.all(held))];
    const envelopes = fields.map((one) => identified(ownStatement('CredentialRegistration', one)));
    const manifest = write('envelopes.json', manifestOf(await Promise.all(envelopes)));
    const known = await onCommandLine(manifest);
    expect(known.found.at(-1).summary.signed).toBeGreaterThanOrEqual(keyKinds.length);
    for (const one of [
      write('statement.json', statement),
      write('altered.json', { ...statement, timestamp: '2020-01-01T00:00:00Z' }),
      write('lines.ndjson', ndjson([statement, didStatement(1)])),
      manifest,
      write('unknown-context.json', { '@context': 'https://example.com/unknown', '@type': 'Thing' }),
      write(`${cidOf(codecs.raw, 'its bytes').text}.txt`, 'its bytes'),
      write(`${cidOf(codecs.raw, 'its bytes').text}.bin`, 'other bytes'),
    ])
      expect(await onPage(tab.page, [one]), one).toEqual(await onCommandLine(one));
  });

  it('never says "verified" of nonsense, of an empty file, and of what it cannot check', async () => {
    await using tab = await openVerifier();
    const nonsense = {
      'empty.json': '',
      'empty.car': '',
      'noise.bin': Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7_919) % 256)),
      'broken.json': '{"version":"3","statements":{',
      'deep.json': '['.repeat(100_000),
      'page.html': '<script>document.title = "foreign"</script>',
      'policy.policy': 'log nonsense',
      'noise.tlog-proof': 'c2sp.org/tlog-proof@v1\n\u0000nonsense',
    };
    for (const [name, content] of Object.entries(nonsense)) {
      await drop(tab.page, [write(name, content)]);
      expect(await tab.page.locator('.verdict.good').count(), name).toBe(0);
      expect(await tab.page.locator('.verdict:not([data-exit-code="0"])').count(), name).toBe(1);
    }
    await drop(tab.page, [place('empty.json')]);
    expect(await tab.page.locator('.verdict h2').innerText()).toMatch(/^empty\.json is not valid JSON/);
    await drop(tab.page, [
      place('noise.bin'),
      write('release.yaml', 'cairn: policy/1\nname: release\nrules: []\n'),
    ]);
    const faulty = tab.page.locator('.verdict').first();
    expect(await faulty.innerText()).toContain('The policy is faulty');
    await drop(tab.page, [write('only-a.jwk', newKey().jwk)]);
    expect(await tab.page.getByRole('alert').innerText()).toContain('Drop what these keys');
    await drop(tab.page, [place('deep.json')], ['nonsense']);
    expect(await tab.page.getByRole('alert').innerText()).toContain('nonsense');
    expect(await tab.page.title()).toBe('Verify · Cairn');
  });

  it('stops when it is told to, and begins again with the next drop', async () => {
    await using tab = await openVerifier();
    const { page } = tab;
    // In one turn, so that nothing can be finished before.
    await page.evaluate((size) => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([new Uint8Array(size)], 'large.bin'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
      [...document.querySelectorAll('button')].find(({ textContent }) => textContent === 'Stop')?.click();
    }, largeBytes);
    expect(await page.locator('#status').innerText()).toContain('Stopped. Nothing was verified.');
    expect(await page.locator('.verdict').count()).toBe(0);
    const key = newKey();
    const path = write('next.json', manifestOf([await identified(data('next', key.did))]));
    await page.getByRole('button', { name: 'Remove large.bin' }).click();
    expect((await onPage(page, [path])).code).toBe(0);
    const large = place('large.bin');
    closeSync(openSync(large, 'w'));
    truncateSync(large, largeBytes);
    await drop(page, [large]);
    const { found } = await onCommandLine(large);
    expect(await page.locator('.verdict .facts').innerText()).toContain(found[0].cid);
  });

  it('takes files that are dropped', async () => {
    await using tab = await openVerifier();
    await tab.page.evaluate(() => {
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File(['bytes'], 'dropped.bin'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    });
    await finished(tab.page);
    expect(await tab.page.locator('.verdict').innerText()).toContain(cidOf(codecs.raw, 'bytes').text);
  });

  it('cannot reach a network, nor can its workers', async () => {
    await using tab = await openVerifier();
    const asked: unknown[] = [];
    const server = createServer((request, response) => {
      asked.push(request.url);
      response.setHeader('access-control-allow-origin', '*').end('answer');
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const reached = await tab.page.evaluate(async (address) => {
      const image = new Image();
      const loading = Promise.withResolvers();
      image.onload = () => loading.resolve(true);
      image.onerror = () => loading.resolve(false);
      image.src = `${address}/image.png`;
      const script = `fetch('${address}').then(() => postMessage(true), () => postMessage(false))`;
      const worker = new Worker(URL.createObjectURL(new Blob([script])));
      const inWorker = new Promise((resolve) => {
        worker.onmessage = ({ data }) => resolve(data);
      });
      const fetching = fetch(address).then(
        () => true,
        () => false,
      );
      return await Promise.all([fetching, loading.promise, inWorker]);
    }, url);
    server.close();
    expect([reached, asked]).toEqual([[false, false, false], []]);
  });

  it('is accessible in both widths and themes, with a verdict of each tone', async () => {
    await using tab = await openVerifier();
    const { page } = tab;
    const key = newKey();
    const good = write(
      'good.json',
      manifestOf([await identified((await signed(data('g', key.did), key)) as Json & object)]),
    );
    const bad = write('bad.json', readFileSync(good, 'utf8').replace(key.did, newKey().did));
    await drop(page, [good, bad, write('plain.bin', 'bytes')], [key.did]);
    expect(await page.locator('.verdict').count()).toBe(3);
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme });
      for (const width of [1_440, phone.width]) {
        await page.setViewportSize({ width, height: 844 });
        await expectAccessible(page);
      }
    }
  });

  describeTestData('with manifests of the public client', () => {
    it.each(['compute.json', 'full-p256.json'])('says of %s what the command line says', async (name) => {
      await using tab = await openVerifier();
      const path = testDataPath('interop', 'sdk', name);
      expect(await onPage(tab.page, [path])).toEqual(await onCommandLine(path));
    });
  });
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
function lines(text: string): any[] {
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}
