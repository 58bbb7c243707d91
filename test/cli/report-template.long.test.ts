import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { templateNamed } from '../../src/ui/template-report/templates.ts';
import { blobUrn, did, type Json, ownStatement } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e5';
/** Without a service. */
const offline = { CAIRN_URL: 'http://127.0.0.1:9' };
let service: Service;
let folder: ReturnType<typeof temporaryFolder>;
const file = (name: string) => join(folder.path, name);
const read = (name: string) => readFileSync(file(name), 'utf8');

/** raw.csv → train.py → model.bin, which has a name and a license. */
beforeAll(async () => {
  service = await startService();
  folder = temporaryFolder();
  await put('/graph/v1', { graph_id: graph, name: 'templates' });
  const run = {
    computation: blobUrn('train.py'),
    input: [blobUrn('raw.csv')],
    output: blobUrn('model.bin'),
    operatedBy: did,
  };
  const statements = [ownStatement('ComputationRegistration', run)];
  const described: [string, Json][] = [
    ['raw.csv', { name: 'raw.csv', kind: 'dataset' }],
    ['model.bin', { name: 'model.bin', kind: 'model', license: 'MIT', direct_use: 'scoring' }],
  ];
  for (const [name, metadata] of described)
    statements.push(
      ownStatement('MetadataRegistration', { subject: blobUrn(name), metadata: await json(metadata) }),
    );
  await put('/statements/v1/batch', { statements, generate_id: true, graph_id: graph });
  await cairn(['export', graph, '-o', file('evidence.json')], { env: service.env });
  writeFileSync(file('model.bin'), 'model.bin');
});
afterAll(async () => {
  folder[Symbol.dispose]();
  await service[Symbol.asyncDispose]();
});

async function put(path: string, body: Json): Promise<Json> {
  const init = { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const response = await fetch(service.url + path, init);
  const text = await response.text();
  expect(response.ok, text).toBe(true);
  return JSON.parse(text);
}

async function json(document: Json): Promise<string> {
  await put('/store/v1/jcs', document);
  return cidUrn(cidOf(codecs.jcs, jcs(document)));
}

const report = async (args: readonly string[], env: Record<string, string> = offline) =>
  await cairn(['report', ...args], { env, cwd: folder.path });

/** What a page says about the subject, without what it was made from, when, and how to check it. */
const verdictIn = (page: string) =>
  page
    .replaceAll(/<style>.*?<\/style>/gs, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .replace(/ About this file .*$/, '')
    .replaceAll(/\d+ \w{3} \d{4}, \d\d:\d\d UTC/g, '');

test('the templates are listed with their titles', async () => {
  const { code, stdout } = await report(['--templates']);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^model-card +Model card$/m)]);
});

test('a report with a CAR can be verified and made again from the CAR alone, with the same verdict', async () => {
  const args = ['model.bin', '--template', 'model-card', '-o', 'card.html', '--car', 'card.car'];
  const made = await report(args, service.env);
  expect([made.code, made.stdout], made.stderr).toEqual([
    0,
    expect.stringMatching(/card\.html +\d+ gaps\n.*card\.car\n$/),
  ]);
  const page = read('card.html');
  expect(verdictIn(page)).toMatch(/model\.bin .* by Cairn .*There are gaps \(fail\)/);
  expect(verdictIn(page)).toContain('License MIT');
  expect(page).toContain('--manifest card.car');

  const verified = await cairn(['verify', file('card.car')], { env: offline });
  expect(verified.code, verified.stdout).toBe(0);
  const [, key = ''] = /--log-key &#39;([^ ]+)&#39;/.exec(page) ?? [];
  const own = templateNamed('model-card')?.cid ?? '';
  for (const template of ['model-card', own]) {
    const given = ['--manifest', 'card.car', '--log-key', key];
    const again = await report(['model.bin', '--template', template, ...given, '-o', 'again.html']);
    expect(again.code, again.stderr).toBe(0);
    expect(verdictIn(read('again.html'))).toBe(verdictIn(page));
    const only = await cairn(['check', 'model.bin', '--policy', template, ...given], {
      env: offline,
      cwd: folder.path,
    });
    expect([only.code, only.stdout]).toEqual([1, expect.stringMatching(/pass +The license is stated/)]);
  }
  const cid = cidOf(codecs.raw, Buffer.from(page)).text;
  expect(readFileSync(file('card.car')).includes(`"${cid}"`)).toBe(true);
});

test('a report of the service says the same as one with a CAR, logs included', async () => {
  const template = ['--template', 'eu-ai-act-annex-iv'];
  const online = await report([blobUrn('model.bin'), ...template, '-o', 'online.html'], service.env);
  expect(online.code, online.stderr).toBe(0);
  const made = await report(['model.bin', ...template, '-o', 'kept.html', '--car', 'kept.car'], service.env);
  expect(made.code, made.stderr).toBe(0);
  const results = (page: string) =>
    [...page.matchAll(/class="rule"><span class="badge \w+">([^<]+)<\/span> <strong>(.*?)<\/strong>/g)].map(
      ([, result, name]) => `${result}: ${name}`,
    );
  const all = results(read('online.html'));
  expect(all.length).toBeGreaterThan(30);
  expect(all).toContain('pass: <bdi>A log has the computation that made it</bdi>');
  expect(results(read('kept.html'))).toEqual(all);
});

test('a report on a manifest is about its results, or what is named', async () => {
  for (const more of [[], ['--subject', 'model.bin']]) {
    const made = await report(['evidence.json', '--template', 'model-card', '-o', '-', ...more]);
    expect(made.code, made.stderr).toBe(0);
    expect(verdictIn(made.stdout)).toMatch(/^ Model card: model\.bin /);
  }
});

test('a template of the own is a file, and faults of it are said with their lines', async () => {
  const chapters = 'chapters: [{title: One, rules: [signed], show: [{label: Name, value: subject.name}]}]';
  writeFileSync(
    file('own.yaml'),
    `cairn: policy/1\nname: own\nrules: [{name: signed, require: 'size(signers) > 0'}]\n${chapters}\n`,
  );
  const args = ['model.bin', '--manifest', 'evidence.json', '-o', '-', '--template'];
  const made = await report([...args, 'own.yaml']);
  expect(made.code, made.stderr).toBe(0);
  expect(verdictIn(made.stdout)).toMatch(/One fail .*Name model\.bin/);
  writeFileSync(
    file('faulty.yaml'),
    `cairn: policy/1\nname: own\nrules: [{name: signed, require: 'siners'}]\n`,
  );
  const faulty = await report([...args, 'faulty.yaml']);
  expect([faulty.code, faulty.stderr]).toEqual([2, expect.stringContaining('faulty.yaml:3')]);
  const unknown = await report([...args, 'model-crad']);
  expect([unknown.code, unknown.stderr]).toEqual([
    2,
    expect.stringContaining('model-card, slsa-build-levels'),
  ]);
});

test('a report on a changed manifest passes nothing and exits with 1', async () => {
  writeFileSync(
    file('changed.json'),
    read('evidence.json').replace('"operatedBy":"did:key:', '"operatedBy":"did:kex:'),
  );
  const made = await report([
    'model.bin',
    '--manifest',
    'changed.json',
    '--template',
    'model-card',
    '-o',
    'changed.html',
  ]);
  expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('Verification failed.')]);
  expect(verdictIn(read('changed.html'))).not.toMatch(/pass /);
});

test.each([
  [['model.bin', '--template', 'model-card'], '-o FILE'],
  [['--template', 'model-card', '-o', 'x.html'], 'Name what the report is about'],
  [
    ['model.bin', '-o', 'x.html', '--car', 'x.car'],
    '--manifest, --car and --service are for reports with --template.',
  ],
  [
    ['model.bin', '-o', 'x.html', '--template', 'model-card', '--require-signer'],
    '--signer and --require-… are for reports without',
  ],
])('wrong usage is said: %s', async (args, message) => {
  expect(await report(args)).toMatchObject({ code: 2, stderr: expect.stringContaining(message) });
});

test('a report about an agent of whom no statement says anything asked for has no CAR, and says so', async () => {
  const made = await report(
    [did, '--template', 'model-card', '-o', 'agent.html', '--car', 'agent.car'],
    service.env,
  );
  expect([made.code, made.stderr]).toEqual([1, expect.stringContaining('Leave out --car.')]);
});

test('what the service has signed counts offline too, once its DID is named', async () => {
  const run = ownStatement('ComputationRegistration', {
    input: blobUrn('raw.csv'),
    output: blobUrn('signed.bin'),
    operatedBy: did,
  });
  const issued = await put('/statements/v1', {
    statement: run,
    generate_id: true,
    graph_id: graph,
    issue_vc: true,
  });
  const status = await fetch(`${service.url}/credentials/v1/status?credential_id=${issued.credential_id}`);
  const { entries } = (await status.json()) as { entries: { statusListCredential: string }[] };
  const lists: string[] = [];
  for (const { statusListCredential: list } of entries) {
    lists.push('--status-list', file(`list ${lists.length}.json`));
    const answer = await fetch(service.url + new URL(list).pathname);
    writeFileSync(lists.at(-1) ?? '', await answer.text());
  }
  const require = "made_by.exists(c, 'ours' in c.signers)";
  const own = {
    cairn: 'policy/1',
    name: 'own',
    signers: { ours: ['service'] },
    rules: [{ name: 'ours', require }],
  };
  writeFileSync(file('own.json'), JSON.stringify(own));
  const explained = await cairn(['check', blobUrn('signed.bin'), '--explain', '--json'], {
    env: service.env,
  });
  const [, signer = ''] = /"signer":\s*"(did:key:[^"]+)"/.exec(explained.stdout) ?? [];
  const online = [blobUrn('signed.bin'), '--template', 'own.json', '-o', 'own.html'];
  const args = [...online, '--car', 'own.car', ...lists];
  const unnamed = await report(args, service.env);
  expect([unnamed.code, unnamed.stderr]).toEqual([0, expect.stringContaining('Name its DID with --service')]);
  const made = await report([...args, '--service', signer], service.env);
  expect([made.code, made.stdout], made.stderr).toEqual([0, expect.stringMatching(/own\.html +0 gaps\n/)]);
  expect(read('own.html')).toContain(` --service ${signer} -o again.html`);
  expect((await report(online, service.env)).stdout).toMatch(/own\.html +0 gaps\n/);
});
