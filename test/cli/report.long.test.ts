import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidIn, cidOf, cidUrn, codecs, digestHex } from '../../src/domain/integrity/identifiers/cid.ts';
import { blobUrn, did, type Json, ownStatement } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
/** Without a service. */
const offline = { CAIRN_URL: 'http://127.0.0.1:9' };
const hostileName = `<script>alert(1)</script>"><img src=x onerror=alert(1)>${'n'.repeat(10_000)}`;
const hostileDid = 'did:web:x?"><a/href="javascript:alert(1)">\u202e</a><style>@import"//x"</style>';
let service: Service;
let folder: ReturnType<typeof temporaryFolder>;
const file = (name: string) => join(folder.path, name);
const read = (name: string) => readFileSync(file(name), 'utf8');

/** raw.csv → clean.py → table.csv → train.py → model.bin → evaluate.py → scores.json. Only raw.csv is not stored. */
beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  await put('/graph/v1', { graph_id: graph, name: 'report' });
  for (const name of ['clean.py', 'train.py', 'evaluate.py', 'table.csv', 'model.bin', 'scores.json'])
    await put('/store/v1/blob', name);
  const step = (program: string, input: string[], output: string, more: Json = {}) =>
    ownStatement('ComputationRegistration', {
      computation: blobUrn(program),
      input: input.map(blobUrn),
      output: blobUrn(output),
      operatedBy: did,
      ...more,
    });
  const many = Array.from({ length: 1_500 }, (_, at) => `input ${at}`);
  const statements = [
    step('clean.py', ['raw.csv'], 'table.csv'),
    step('train.py', ['table.csv'], 'model.bin'),
    step('evaluate.py', ['model.bin'], 'scores.json'),
    step('merge.py', many, 'merged'),
    step('evil.py', ['evil input'], 'evil', { registeredBy: hostileDid, operatedBy: hostileDid }),
  ];
  for (const name of ['raw.csv', 'train.py', 'evaluate.py', 'model.bin', 'scores.json', 'merged'])
    statements.push(await named(blobUrn(name), { name }));
  statements.push(await named(blobUrn('evil'), { name: hostileName }));
  const review = { decision: hostileName, comment: hostileName, submittedBy: hostileDid, submittedAt: 'x' };
  statements.push(
    ownStatement('GovernanceRegistration', { subject: blobUrn('evil'), document: await json(review) }),
  );
  await put('/statements/v1/batch', { statements, generate_id: true, graph_id: graph });
  const exported = await cairn(['export', graph, '-o', file('evidence.json')], { env: service.env });
  expect(exported.code, exported.stderr).toBe(0);
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function put(path: string, body: string | Json): Promise<void> {
  const isText = typeof body === 'string';
  const headers = { 'content-type': isText ? 'application/octet-stream' : 'application/json' };
  const init = { method: 'PUT', headers, body: isText ? body : JSON.stringify(body) };
  const response = await fetch(service.url + path, init);
  expect(response.ok, await response.text()).toBe(true);
}

async function json(document: Json): Promise<string> {
  await put('/store/v1/jcs', document);
  return cidUrn(cidOf(codecs.jcs, jcs(document)));
}

async function named(subject: string, document: Json): Promise<Json> {
  return ownStatement('MetadataRegistration', { subject, metadata: await json(document) });
}

const report = async (...args: string[]) => await cairn(['report', ...args], { env: offline });

/** The text of a page, without its tags. */
const words = (page: string) =>
  page
    .replaceAll(/<style>.*?<\/style>|<[^>]*>/gs, ' ')
    .replaceAll('&quot;', '"')
    .replaceAll(/\s+/g, ' ');

test('a report on a manifest is made offline and says where things come from and what is missing', async () => {
  const made = await report(file('evidence.json'), '--subject', 'model.bin', '-o', file('model.html'));
  expect([made.code, made.stdout], made.stderr).toEqual([0, expect.stringContaining('model.html  ')]);
  const text = words(read('model.html'));
  expect(text).toContain('Evidence report model.bin');
  expect(text).toContain('Unaltered In the whole manifest');
  expect(text).toContain('Nobody has said whose word counts for this report');
  expect(text).toContain('No statement about this or its origins has a valid signature.');
  expect(read('model.html')).toContain('class="verdict neutral"');
  expect(text).toMatch(/made by train\.py on 31 Jan 2026, 12:00 UTC , run by did:key:z\S+ +\(not signed\)/);
  expect(text).toMatch(/from raw\.csv +\S+ +\(not included\)/);
  expect(text).toMatch(/What model\.bin was used for evaluate\.py made scores\.json/);
  const digest = digestHex(cidIn(blobUrn('model.bin')) ?? expect.fail());
  expect(text).toContain(`b3sum model.bin It must print ${digest}`);
  expect(text).toContain('cairn verify');

  const results = await report(file('evidence.json'), '-o', '-');
  expect(words(results.stdout)).toContain('and 2 more');
  for (const name of ['scores.json', 'merged'])
    expect(words(results.stdout)).toContain(`Name ${name} Kind file`);
  const unknown = await report(file('evidence.json'), '--subject', 'nobody', '-o', file('none.html'));
  expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('the name "nobody"')]);
});

test('a report never replaces what it is about, and says which folder is missing', async () => {
  const before = read('evidence.json');
  const same = await report(file('evidence.json'), '-o', file('evidence.json'));
  expect([same.code, same.stderr]).toEqual([2, expect.stringContaining('Write it to another file.')]);
  expect(read('evidence.json')).toBe(before);
  const nowhere = await report(file('evidence.json'), '-o', file('no-folder/report.html'));
  expect([nowhere.code, nowhere.stderr]).toEqual([
    2,
    `The folder ${file('no-folder')} does not exist. Make it first.\n`,
  ]);
});

test('a report on a changed manifest says so first, does not believe the changed part, and exits with 1', async () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const changed = read('evidence.json')
    .replace(base64('{"name":"model.bin"}'), base64('{"name":"other.bin"}'))
    .replace('"operatedBy":"did:key:', '"operatedBy":"did:kex:');
  writeFileSync(file('changed.json'), changed);
  const made = await report(
    file('changed.json'),
    '--subject',
    blobUrn('model.bin'),
    '-o',
    file('changed.html'),
  );
  expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('Verification failed.')]);
  const text = words(read('changed.html'));
  expect(text).toMatch(/Evidence report \S+…\S+ .{0,60} Verification failed: 2 problems/);
  expect(text).toContain('A statement was altered, or has the wrong identifier.');
  expect(text).not.toContain('other.bin');
});

test('nothing in a manifest can run or load anything, and no text is longer than a line or two', async () => {
  const made = await report(file('evidence.json'), '--subject', blobUrn('evil'), '-o', '-');
  expect(made.code, made.stderr).toBe(0);
  const page = made.stdout;
  expect(page).toContain('content="default-src &#39;none&#39;; style-src &#39;unsafe-inline&#39;');
  const tags = [...page.matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
  const names = new Set(tags.map(([, name]) => name));
  for (const name of ['script', 'img', 'a', 'link', 'iframe', 'form', 'base'])
    expect(names).not.toContain(name);
  const withoutValues = tags.map(([tag]) => tag.replaceAll(/"[^"]*"/g, '""')).join('');
  expect(withoutValues).not.toMatch(/\son\w+=|\b(?:src|href|srcset)=/i);
  expect(page.match(/<style>/g)).toHaveLength(1);
  expect(page).not.toContain('\u202e');
  expect(words(page)).toContain('&lt;script&gt;alert(1)');
  expect(page).not.toContain('n'.repeat(500));
});

test('a large lineage is folded, and the rest is counted', async () => {
  const made = await report(file('evidence.json'), '--subject', 'merged', '-o', '-');
  expect(made.code, made.stderr).toBe(0);
  expect(made.stdout.length).toBeLessThan(150_000);
  const text = words(made.stdout);
  expect(text).toMatch(/merged was made in at least 1 computation from at least \d+ things/);
  expect(text).toMatch(/and 9\d\d more things that are not listed here/);
  expect(text).toContain('The origins go further than this report follows.');
});

test('the service makes the report for an id', async () => {
  const online = (...args: string[]) => cairn(['report', ...args], { env: service.env });
  const made = await online(blobUrn('model.bin').slice('urn:cid:'.length), '-o', file('service.html'));
  expect(made.code, made.stderr).toBe(0);
  expect(words(read('service.html'))).toMatch(/made by train\.py .* from raw\.csv +\S+ +\(not included\)/);
  writeFileSync(file('model.bin'), 'model.bin');
  expect(words((await online(file('model.bin'), '-o', '-')).stdout)).toContain('Evidence report model.bin');
  expect((await online(blobUrn('never stored'), '-o', file('none.html'))).code).toBe(1);
  expect((await online(did, '--subject', 'x', '-o', file('none.html'))).code).toBe(2);
  expect((await report(blobUrn('model.bin'), '-o', file('none.html'))).code).toBe(3);
});
