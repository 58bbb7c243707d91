import { describe, expect, test } from 'vitest';
import { compileCondition } from '../../../src/domain/integrity/policies/condition.ts';
import type { FactField } from '../../../src/domain/integrity/policies/fact-table.ts';
import { factTable, rootTable } from '../../../src/domain/integrity/policies/fact-table.ts';
import { rootFields } from '../../../src/domain/integrity/policies/facts.ts';
import { readPolicy, subjectVariables } from '../../../src/domain/integrity/policies/read-policy.ts';

function problems(text: string) {
  const read = readPolicy(text);
  return 'problems' in read ? read.problems : [];
}

const policy = `cairn: policy/1
name: release
signers: { builder: ['did:key:z6MkBuilder'] }
rules:
  - name: signed
    require: `;

describe('reading a policy', () => {
  test('takes YAML and JSON, and names both the same', () => {
    const yaml = readPolicy(`${policy}made_by.exists(c, c.signed_by == 'builder')`);
    const source = 'policy' in yaml ? yaml.policy.source : {};
    const json = readPolicy(JSON.stringify(source));
    expect('policy' in yaml && 'policy' in json && yaml.policy.cid === json.policy.cid).toBe(true);
  });

  test.each([
    [
      'made_by.exists(c, c.sigend_by == "builder")',
      { code: 'unknown_field', found: 'sigend_by', nearest: 'signed_by' },
    ],
    ['mad_by.exists(c, true)', { code: 'unknown_name', found: 'mad_by', nearest: 'made_by' }],
    ['subject.name.startWith("a")', { code: 'unknown_function', found: 'startWith', nearest: 'startsWith' }],
    ['subject.signed_by == "bilder"', { code: 'unknown_value', found: 'bilder', nearest: 'builder' }],
    ['signed_by == "bilder"', { code: 'unknown_value', found: 'bilder', nearest: 'builder' }],
    ['"bilder" in subject.signers', { code: 'unknown_value', found: 'bilder', nearest: 'builder' }],
    ['subject.signed_by in ["bilder"]', { code: 'unknown_value', found: 'bilder', nearest: 'builder' }],
    ['signatures.exists(s, s.standing == "god")', { code: 'unknown_value', found: 'god', nearest: 'good' }],
    ['subject.size == "5"', { code: 'not_comparable', found: 'int', nearest: 'string' }],
    ['subject == subject', { code: 'not_comparable', found: 'artefact' }],
    ['subject.exists(c, true)', { code: 'not_a_list', found: 'subject', of: 'artefact' }],
    ['reviews.decision == "approved"', { code: 'no_fields', found: 'decision', of: 'list(review)' }],
    ['size(reviews)', { code: 'not_a_bool', of: 'int' }],
    ['subject.name && true', { code: 'not_a_bool', found: 'subject.name' }],
    ['made_by.exists(c, c.', { code: 'not_cel' }],
  ])('refuses %s', (condition, problem) => {
    expect(problems(policy + JSON.stringify(condition))).toMatchObject([
      { line: 6, place: 'rules[0].require', problem },
    ]);
  });

  test('takes a value with a tag as it is written', () => {
    const facts = '{ a: !!binary aGk=, b: !!timestamp 2026-12-31 }';
    const read = readPolicy(`${policy}'true'\nexamples: [{ facts: ${facts}, expect: pass }]`);
    expect(read).toMatchObject({
      policy: { source: { examples: [{ facts: { a: 'aGk=', b: '2026-12-31' } }] } },
    });
  });

  test('takes time in proportion to its members, of which some may be there twice', () => {
    const members = Array.from({ length: 50_000 }, (_, at) => `k${at}: 1`);
    expect(problems(members.join('\n'))).toHaveLength(1);
    expect(problems([`${policy}true`, ...members].join('\n'))).toMatchObject({ length: 20 });
    expect(problems([...members, ...members].join('\n'))).toMatchObject({ length: 20 });
  });

  test('says line and column in a condition', () => {
    expect(problems(`${policy}subject.nmae == 'a'`)).toMatchObject([{ line: 6, column: 21 }]);
    expect(problems(`${policy}|\n      subject.name == 'a' &&\n      subject.nmae == 'a'`)).toMatchObject([
      { line: 8 },
    ]);
  });

  test.each([
    ['cairn: policy/2', { line: 1, problem: { code: 'unknown_version', found: 'policy/2' } }],
    ['cairn: policy/1\nname: a\nrules: []', { line: 3, place: 'rules', problem: { code: 'wrong_form' } }],
    [
      `${policy}'true'\n    requires: 'true'`,
      { line: 7, place: 'rules[0].requires', problem: { code: 'unknown_member', nearest: 'require' } },
    ],
    [
      `${policy}'true'\n  - {name: signed, require: 'true'}`,
      { line: 7, place: 'rules[1].name', problem: { code: 'said_twice', found: 'signed' } },
    ],
    [
      "cairn: policy/1\nname: a\nsigners:\n  builder: ['did:key:a']\n  builder: ['did:key:b']\nrules: []",
      { line: 5, column: 3, problem: { code: 'said_twice', found: 'builder' } },
    ],
    ['{"cairn": "policy/1", "cairn": "policy/1"}', { line: 1, problem: { code: 'said_twice' } }],
    [`a: &a [x]\nb: *a`, { line: 2, column: 4, problem: { code: 'has_aliases', found: 'a' } }],
    ['['.repeat(500_000), { problem: { code: 'not_readable' } }],
    [`{"a":`.repeat(100_000), { problem: { code: 'not_readable' } }],
    ['{', { problem: { code: 'not_readable' } }],
    ['', { problem: { code: 'wrong_form' } }],
    ['x'.repeat(10_000_000), { problem: { code: 'too_large', found: '10000000' } }],
    [
      `${policy}'true'\nchapters: [{title: a, rules: [singed]}]`,
      { problem: { code: 'unknown_rule', found: 'singed', nearest: 'signed' } },
    ],
  ])('refuses faulty documents: %.60s', (text, problem) => {
    expect(problems(text)[0]).toMatchObject(problem);
  });
});

describe('the table of facts', () => {
  const all = { ...factTable, root: rootTable } as Readonly<
    Record<string, Readonly<Record<string, FactField>>>
  >;
  const examples = Object.entries(all).flatMap(([name, fields]) =>
    Object.entries(fields).map(([field, { example }]) => [`${name}.${field}`, name, example] as const),
  );

  test.each(examples)('has an example of %s that can be used', (_, name, example) => {
    const variables = /\bit\./.test(example) ? { ...rootFields, it: { type: name } } : subjectVariables;
    const { type } = compileCondition(example, {
      variables,
      signers: ['builder', 'reviewers', 'authority', 'owner'],
    });
    expect(['bool', 'dyn']).toContain(type);
  });
});
