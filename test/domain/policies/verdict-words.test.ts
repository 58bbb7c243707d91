import { describe, expect, test } from 'vitest';
import {
  doubtWords,
  type JudgedRule,
  missingWords,
  ruleMark,
  ruleReasons,
  verdictWords,
} from '../../../src/contract/words/verdicts.ts';
import { factTable, rootTable } from '../../../src/domain/integrity/policies/fact-table.ts';
import { elementOf, type UnknownCode } from '../../../src/domain/integrity/policies/facts.ts';

const rule: JudgedRule = { result: 'fail', severity: 'error', missing: [], doubts: [], things: null };
const exception = { until: '2026-07-01', granted_by: 'Ada', reason: 'It is being fixed.' };

describe('the words of a verdict', () => {
  test('say what is missing, and of which things', () => {
    const missing = [{ fact: 'reviews', of: 'data.csv' }];
    expect(ruleReasons({ ...rule, missing, things: { count: 2, deciding: ['data.csv'] } })).toEqual([
      'It is not fulfilled for 1 of 2 things: data.csv.',
      'data.csv has no review that the rule accepts.',
    ]);
    expect(ruleReasons({ ...rule, missing: [{ fact: 'all', of: 'data.csv' }] })).toEqual([
      'The rule demands something of all, and data.csv does not fulfil it.',
    ]);
    expect(doubtWords({ code: 'not_said', fact: 'at', kind: 'log', of: 'train' })).toBe(
      'Nobody has said the time of the log entry of train.',
    );
    expect(ruleReasons(rule)).toEqual(['Its condition does not hold.']);
    expect(ruleReasons({ ...rule, message: 'Ask Ada.' })).toEqual(['Ask Ada.']);
    expect(ruleReasons({ ...rule, result: 'pass' })).toEqual([]);
  });

  test('say who accepts a failure, and that an exception is over', () => {
    expect(ruleReasons({ ...rule, result: 'excepted', exception }).at(-1)).toBe(
      'Ada accepts that until 2026-07-01: It is being fixed.',
    );
    expect(ruleReasons({ ...rule, exception }).at(-1)).toBe(
      'The exception that Ada granted until 2026-07-01 is not in force.',
    );
  });

  test('count the rules that are not fulfilled, and warnings apart', () => {
    const rules = [
      rule,
      { ...rule, result: 'pass' as const },
      { ...rule, severity: 'warning' as const },
      { ...rule, result: 'cannot_tell' as const },
    ];
    expect(verdictWords({ rules })).toBe('4 rules: 1 not fulfilled, 1 cannot be told, 1 warning.');
    expect(rules.map(ruleMark)).toEqual(['fail', 'pass', 'warning', 'cannot_tell']);
    expect(verdictWords({ rules: [{ ...rule, result: 'pass' }] })).toBe('1 rule, all fulfilled.');
  });

  const unknown: Readonly<Record<UnknownCode, true>> = {
    not_read: true,
    standing_unknown: true,
    no_such_evidence: true,
    no_log_proof: true,
    bytes_missing: true,
    not_visible: true,
  };
  const others = [
    'altered',
    'disputed',
    'too_costly',
    'wrong_types',
    'nothing_chosen',
    'cut',
    'nothing_to_check',
    'nothing_found',
    'no_value',
    'not_said',
  ];

  test.each([...Object.keys(unknown), ...others])('have a sentence for the doubt %s', (code) => {
    expect(doubtWords({ code, fact: 'size', of: 'x' })).not.toContain(`(${code})`);
  });

  test('read foreign codes of newer services', () => {
    expect(doubtWords({ code: 'constructor' })).toBe('It cannot be told (constructor).');
  });

  const lists = Object.values({ ...factTable, root: rootTable }).flatMap((fields) =>
    Object.entries(fields).flatMap(([field, { type }]) => (elementOf(type) ? [field] : [])),
  );

  test.each([...new Set(lists)])('call one of %s as people do', (fact) => {
    expect(missingWords({ fact, of: 'x' })).toMatch(/accepts\.$|counts now\.$/);
  });
});
