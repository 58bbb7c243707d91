import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, test } from 'vitest';
import { cairn, temporaryFolder } from './run-cairn.ts';

const folder = temporaryFolder();
afterAll(() => folder[Symbol.dispose]());

const builder = 'did:key:z6MkBuilder';
const start = { cairn: 'policy/1', name: 'release', signers: { builder: [builder] } };
const rules = [{ name: 'signed', require: "made_by.exists(c, c.signed_by == 'builder')" }];
const signedBy = (signer: string) => ({
  subject: 'model',
  things: {
    artefacts: { model: { id: 'model', made_by: ['run'] } },
    computations: {
      run: { id: 'run', signatures: [{ kind: 'proof', standing: 'good', signer }] },
    },
  },
});

function write(name: string, content: object | string): string {
  writeFileSync(join(folder.path, name), typeof content === 'string' ? content : JSON.stringify(content));
  return name;
}

const policy = async (...args: string[]) => await cairn(['policy', ...args], { cwd: folder.path });

describe('cairn policy test', () => {
  test('runs the examples, and says what differs and why with exit code 1', async () => {
    const examples = [
      { name: 'by the builder', facts: signedBy(builder), expect: 'pass' },
      { name: 'by another', facts: signedBy('did:key:z6MkOther'), expect: 'fail', failing: ['signed'] },
    ];
    const good = await policy('test', write('good.json', { ...start, rules, examples }));
    expect(good).toMatchObject({ code: 0, stderr: '' });
    expect(good.stdout).toContain('good.json: by another: as expected\ngood.json: 1 rule, 2 examples');
    const differing = [{ ...examples[1], expect: 'pass', failing: [] }];
    const bad = await policy(
      'test',
      'good.json',
      write('bad.json', { ...start, rules, examples: differing }),
    );
    expect(bad.code).toBe(1);
    expect(bad.stdout).toContain('bad.json: by another: DIFFERS\n  It should be "pass", but it is "fail".');
    expect(bad.stdout).toContain('Nobody whom the policy names has signed the computation run');
    expect(bad.stderr).toBe('1 example differs.\n');
    const asJson = await policy('test', 'bad.json', '--json');
    expect(JSON.parse(asJson.stdout)).toMatchObject({ policy: 'bad.json', example: 'by another', ok: false });
  });

  test('takes the time of an example', async () => {
    const exception = { until: '2026-07-01', granted_by: 'Ada', reason: 'It is being fixed.' };
    const examples = [
      { facts: { subject: 'x' }, now: '2026-06-01T00:00:00Z', expect: 'pass' },
      { facts: { subject: 'x' }, now: '2026-08-01T00:00:00Z', expect: 'fail' },
    ];
    const excepted = { ...start, rules: [{ name: 'r', require: 'false', exception }], examples };
    expect((await policy('test', write('excepted.json', excepted))).code).toBe(0);
  });

  test('refuses facts of another form with their place', async () => {
    const facts = { subject: 'x', things: { artefacts: { x: { size: 'big' } } } };
    const file = write('facts.json', { ...start, rules, examples: [{ facts, expect: 'pass' }] });
    expect(await policy('test', file)).toMatchObject({
      code: 2,
      stderr: 'facts.json: examples[0].facts.things.artefacts.x.size must be a number.\n',
    });
    const manifest = [{ manifest: 'facts.json', expect: 'pass' }];
    const { code, stderr } = await policy('test', write('no.json', { ...start, rules, examples: manifest }));
    expect([code, stderr]).toEqual([2, expect.stringContaining('examples[0].manifest must be a file that')]);
  });
});

describe('a faulty policy', () => {
  const yaml = (rest: string) => `cairn: policy/1\nname: release\n${rest}`;
  const loop = '[1,2,3,4,5,6,7,8,9,10]';
  const nested = Array.from({ length: 6 }).reduce<string>(
    (inner, _, at) => `${loop}.all(x${at}, ${inner})`,
    'true',
  );

  test.each([
    ['of 10 MB', `# ${'x'.repeat(10_000_000)}`, 'The policy is larger than 1,048,576 bytes'],
    ['of an unknown version', 'cairn: policy/9\nname: x', '1:1: The version "policy/9" is not known.'],
    [
      'with two signers of one name',
      yaml('signers:\n  a: [did:key:x]\n  a: [did:key:y]'),
      '5:3: "a" is there twice.',
    ],
    [
      'with an unknown member',
      yaml('rulse: []'),
      '3:1: A policy has no member "rulse". Do you mean "rules"?',
    ],
    ['with aliases', yaml('rules: &r []\nchapters: *r'), '4:11: *r is an alias.'],
    ['that is not UTF-8', Buffer.from([0x61, 0xff]).toString('latin1'), ''],
  ])('%s has exit code 2 and its place', async (_, text, message) => {
    const { code, stdout, stderr } = await policy('test', write('faulty.yaml', text));
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain(`faulty.yaml:${/^\d/.test(message) ? message : ''}`.replace(/:$/, ''));
    expect(stderr).toContain(message);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test('is not a folder, and not absent', async () => {
    mkdirSync(join(folder.path, 'policies'));
    expect((await policy('test', 'policies')).stderr).toBe(
      'The policy policies is a folder. Name a file in it.\n',
    );
    expect((await policy('test', 'absent.yaml')).stderr).toBe('The policy absent.yaml does not exist.\n');
  });

  test('cannot loop over a million items: such a rule is not decided', async () => {
    const examples = [{ facts: { subject: 'x' }, expect: 'cannot_tell' }];
    const file = write('loop.json', { ...start, rules: [{ name: 'loops', require: nested }], examples });
    expect((await policy('test', file)).code).toBe(0);
  });
});

test('cairn policy schema takes policies, and refuses others', async () => {
  const { stdout } = await policy('schema');
  const isValid = new Ajv2020({ strict: false, validateFormats: false }).compile(JSON.parse(stdout));
  expect(isValid({ ...start, rules, examples: [{ facts: {}, expect: 'pass' }] })).toBe(true);
  expect(isValid({ ...start, rules: [{ name: 'a' }] })).toBe(false);
  expect(isValid({ ...start, rules, rule: [] })).toBe(false);
});

test('cairn policy facts prints each fact with an example', async () => {
  const all = (await policy('facts')).stdout;
  expect(all).toContain('\nartefact\n  id (string)\n      Its identifier.\n');
  const one = await policy('facts', 'review');
  expect(one.stdout).toMatch(/^review\n {2}decision \(string\)/);
  expect(JSON.parse((await policy('facts', 'review', '--json')).stdout).review.at).toMatchObject({
    type: 'timestamp',
  });
  expect(await policy('facts', 'revew')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('Do you mean review?'),
  });
});
