import { describe, expect, test } from 'vitest';
import { check } from '../../../src/domain/integrity/policies/check.ts';
import type { Facts } from '../../../src/domain/integrity/policies/facts.ts';
import { fillTemplate } from '../../../src/domain/integrity/policies/fill-template.ts';
import { readPolicy } from '../../../src/domain/integrity/policies/read-policy.ts';
import { statementsIn } from '../../../src/domain/integrity/policies/statements-in.ts';

const now = new Date('2026-06-01T00:00:00Z');
const signature = { signer: 'did:key:z6MkBuilder', kind: 'proof', standing: 'good', is_registrant: true };
const facts: Facts = {
  subject: 'urn:cid:model',
  upstream: ['urn:cid:data'],
  members: [],
  computations: ['urn:cid:step'],
  agents: [],
  things: {
    artefacts: {
      'urn:cid:model': {
        id: 'urn:cid:model',
        name: 'model.bin',
        made_by: ['urn:cid:step'],
        metadata: { purpose: 'scoring', tags: ['a', 'b'], nested: { deep: 1 } },
        statements: ['urn:cid:metadata'],
        unknown: { components: 'no_such_evidence' },
      },
      'urn:cid:data': { id: 'urn:cid:data', kind: 'dataset', statements: ['urn:cid:registration'] },
    },
    computations: {
      'urn:cid:step': {
        id: 'urn:cid:step',
        ended: '2026-05-01T00:00:00Z',
        statements: ['urn:cid:step'],
        signatures: [{ ...signature, statements: ['urn:cid:step'] }],
        log: { index: 7, size: 9 },
      },
    },
    agents: {},
  },
  service: [],
  faults: [],
} as Facts;

const rules = [
  { name: 'made', require: 'made_by.exists(c, true)' },
  { name: 'named', require: "subject.name != ''" },
  { name: 'never', require: 'false', severity: 'warning' },
];

async function filled(chapters: readonly object[]) {
  const read = readPolicy(JSON.stringify({ cairn: 'policy/1', name: 'p', rules, chapters }));
  if ('problems' in read) throw new Error(JSON.stringify(read.problems));
  const answer = await check(read.policy, { facts: [facts], isCut: false }, now);
  const { chapters: all } = await fillTemplate(read.policy, { check: answer, facts: [facts] });
  return all[0] ?? [];
}

async function shown(value: string) {
  const [chapter] = await filled([{ title: 'a', show: [{ label: 'x', value }] }]);
  return chapter?.shown[0];
}

describe('a chapter', () => {
  test('has its rules and sections with the worst of their results, and no rule is lost', async () => {
    const sections = [{ title: 'inner', rules: ['named'] }];
    expect(await filled([{ title: 'a', rules: ['made'], sections }, { title: 'b' }])).toMatchObject([
      {
        title: 'a',
        result: 'pass',
        rules: [{ name: 'made' }],
        sections: [{ title: 'inner', result: 'pass' }],
      },
      { title: 'b', result: undefined, rules: [] },
      { title: 'Further rules', result: undefined, rules: [{ name: 'never', result: 'fail' }] },
    ]);
  });

  test('gives its article to rules without one', async () => {
    const sections = [
      { title: 'inner', rules: ['named'], article: 'Article 2' },
      { title: 'more', rules: ['made'] },
    ];
    const [chapter] = await filled([{ title: 'a', article: 'Article 1', sections }]);
    expect(chapter?.sections.map(({ rules: [rule] }) => rule?.article)).toEqual(['Article 2', 'Article 1']);
  });

  test.each([
    ['metadata.purpose', { kind: 'value', value: 'scoring' }],
    ['metadata.nested', { kind: 'value', value: { deep: 1 } }],
    ['metadata.tags', { kind: 'value', value: ['a', 'b'] }],
    ['made_by.map(c, c.id)', { kind: 'value', value: ['urn:cid:step'] }],
    ['made_by[0].ended', { kind: 'value', value: '2026-05-01T00:00:00.000Z' }],
    ['size(upstream)', { kind: 'value', value: 1 }],
    ['metadata.unsaid', undefined],
  ])('shows the value of %s', async (value, content) => {
    expect((await shown(value))?.content).toEqual(content);
  });

  test('shows facts with the statements that say them', async () => {
    const items = [{ fields: { id: 'urn:cid:data', kind: 'dataset' }, statements: ['urn:cid:registration'] }];
    expect(await shown("upstream.filter(a, a.kind == 'dataset')")).toMatchObject({
      content: { kind: 'facts', fact: 'artefact', items, more: 0 },
      doubts: [],
    });
  });

  test('says if nobody knows', async () => {
    expect(await shown('components')).toMatchObject({
      content: undefined,
      doubts: [{ code: 'no_such_evidence', fact: 'components' }],
    });
  });

  test.each([
    [{ title: 'a', sections: [{ title: 'b', rules: ['mad'] }] }, 'chapters[0].sections[0].rules[0]', 'mad'],
    [{ title: 'a', show: [{ label: 'x', value: 'metdata.x' }] }, 'chapters[0].show[0].value', 'metdata'],
  ])('is refused if it names what is not there', (chapter, place, found) => {
    const read = readPolicy(JSON.stringify({ cairn: 'policy/1', name: 'p', rules, chapters: [chapter] }));
    expect('problems' in read && read.problems).toMatchObject([{ place, problem: { found } }]);
  });
});

test('statements in facts have what they speak of, their signatures and their places in the log', () => {
  const all = statementsIn(facts);
  expect(all.get('urn:cid:step')).toMatchObject({
    says: [
      { fact: 'computation', of: 'urn:cid:step' },
      { fact: 'signature', of: 'urn:cid:step' },
    ],
    signatures: [{ signer: 'did:key:z6MkBuilder' }],
    log: { index: 7 },
  });
  expect(all.get('urn:cid:metadata')).toMatchObject({ says: [{ fact: 'artefact' }], signatures: [] });
});

test('a statement that describes a computation, and one that carries a signature, are explained, too', () => {
  const [step, run, carrier] = ['urn:cid:step', 'urn:cid:run', 'urn:cid:credential'];
  const computation = {
    id: step,
    command: 'make',
    statements: [step],
    signatures: [{ ...signature, kind: 'credential', statements: [step, carrier] }],
    said_by: { command: [step, run] },
    said_with: [{ ...signature, statements: [run] }],
    log: { index: 7 },
  };
  const about = { ...facts, things: { ...facts.things, computations: { [step]: computation } } } as Facts;
  const all = statementsIn({ ...about, logged: { [run]: { index: 8 } } });
  expect(all.get(run)).toMatchObject({
    says: [{ fact: 'computation', of: step }],
    signatures: [{ kind: 'proof' }],
    log: { index: 8 },
  });
  expect(all.get(step)).toMatchObject({ signatures: [{ kind: 'credential' }], log: { index: 7 } });
  expect(all.get(carrier)).toMatchObject({
    says: [{ fact: 'signature', of: step }],
    signatures: [{ kind: 'credential' }],
  });
});

test('a statement does not have the place in the log of another that says the same', () => {
  const statements = ['urn:cid:registration', 'urn:cid:metadata'];
  const thing = { id: 'urn:cid:data', statements, log: { index: 7 } };
  const about = { ...facts, things: { ...facts.things, artefacts: { 'urn:cid:data': thing } } };
  expect(statementsIn(about).get('urn:cid:metadata')?.log).toBeUndefined();
  const logged = { 'urn:cid:registration': { index: 7 }, 'urn:cid:metadata': { index: 3 } };
  const all = statementsIn({ ...about, logged });
  expect(statements.map((id) => all.get(id)?.log?.index)).toEqual([7, 3]);
});
