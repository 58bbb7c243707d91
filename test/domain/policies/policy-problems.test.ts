import { expect, test } from 'vitest';
import { policyProblemLine } from '../../../src/contract/policy-problems.ts';
import { readPolicy } from '../../../src/domain/integrity/policies/read-policy.ts';

const start = 'cairn: policy/1\nname: release\nsigners: { builder: ["did:key:z6MkBuilder"] }\n';
const require = (condition: string) =>
  `${start}rules:\n  - name: signed\n    require: ${JSON.stringify(condition)}\n`;

function lines(text: string): string[] {
  const read = readPolicy(text);
  return 'problems' in read ? read.problems.map((problem) => policyProblemLine('policy.yaml', problem)) : [];
}

test.each([
  [
    require('made_by.exists(c, c.sigend_by == "builder")'),
    '6:14: A computation has no fact "sigend_by". Do you mean "signed_by"?',
  ],
  [
    require('mad_by.exists(c, true)'),
    '6:15: There is no fact "mad_by". Do you mean "made_by"? "cairn policy facts" lists them.',
  ],
  [
    require('subject.signed_by == "bilder"'),
    '6:14: The policy names no signer "bilder". Do you mean "builder"?',
  ],
  [
    require('subject.size = 5'),
    '6:28: The condition cannot be read from "= 5" on. It must be an expression of CEL. Write == instead of =.',
  ],
  [
    require('complete and true'),
    '6:24: The condition cannot be read from "and true" on. It must be an expression of CEL. Write && instead of and.',
  ],
  [require('subject.size == "5"'), '6:14: A number cannot be compared with a text.'],
  [
    require('subject == subject'),
    '6:22: An artefact cannot be compared as a whole. Compare a member, such as id.',
  ],
  [
    require('reviews.decision == "approved"'),
    '6:14: "decision" is asked of a list. Ask it of its items, with exists(x, x.decision …) or all(x, x.decision …).',
  ],
  [
    require('size(reviews)'),
    '6:15: "size(reviews)" is a number. Write a comparison, which is true or false.',
  ],
  [
    require("vulnerabilities.all(v, v.severity != 'CRITICAL')"),
    '6:52: This is never "CRITICAL". Do you mean "critical"?',
  ],
  [
    require("now > timestamp('2026-12-31')"),
    '6:31: "2026-12-31" is no time. Write it with its zone, such as 2026-12-31T00:00:00Z.',
  ],
  [
    require("now - now < duration('30d')"),
    '6:36: "30d" is no duration. Write hours, minutes or seconds, such as 720h for 30 days.',
  ],
  [require("name.matches('(')"), '6:28: "(" is no regular expression of RE2.'],
  [require('name.contains(5)'), '6:19: "contains" is not used like this. Write text.contains(text).'],
  [
    require("startsWith(name, 'a')"),
    '6:15: "startsWith" is not used like this. Write text.startsWith(text).',
  ],
  [require('size(reviews, upstream) > 1'), '6:15: "size" is not used like this. Write size(value).'],
  [require('size(name + 1) > 1'), '6:24: "+" cannot be used with a text and a number.'],
  [require('size * 1.5 > 10'), '6:19: "*" takes two whole numbers or two fractions. Write 1.0 instead of 1.'],
  [require("-name == 'a'"), '6:15: "-" cannot be used with a text.'],
  [require("kind in 'model'"), '6:23: A list is needed here, but "model" is a text.'],
  [require('true && size(name)'), '6:23: "size(…)" is a number. Write a comparison, which is true or false.'],
  [
    `${start}rule: []\nrules: [{name: a, requires: b}]`,
    '4:1: A policy has no member "rule". Do you mean "rules"?',
  ],
  [`${start}rules: [{name: a, requires: b}]`, '4:9: rules[0].require is missing. It must be a text.'],
  [
    `%YAML 1.1\n---\n${start}rules: [{name: a, require: 'true', may_be_empty: yes}]`,
    '6:36: rules[0].may_be_empty must be true or false. It is "yes".',
  ],
  [
    `${start.replace('did:key:z6MkBuilder', 'did:web:example.com#key-1')}rules: [{name: a, require: 'true'}]`,
    '3:22: signers.builder[0] is more than a DID. Remove what begins with #, ? or /. It is "did:web:example.com#key-1".',
  ],
  ['cairn: policy/2', '1:1: The version "policy/2" is not known. Write cairn: policy/1.'],
  ['name: a', '1:1: The policy does not say its version. Write cairn: policy/1.'],
  [`${start}rules: [{name: a, require: true}]`, '4:19: rules[0].require must be a text. It is "true".'],
  [
    `${start}rules: [{name: a, require: 'true', exception: {until: soon, granted_by: Ada, reason: r}}]`,
    '4:48: rules[0].exception.until must be a day, such as 2026-12-31, or a time with its zone. It is "soon".',
  ],
  ['a: &a [x]\nb: *a', '2:4: *a is an alias. A policy is read without aliases. Write the value again.'],
  [
    `${start}rules:\n  - name: a\n    require: ! complete`,
    '6:14: "! complete" begins with !, which YAML reads as a tag. Put the whole text in quotes, or write it below |.',
  ],
  [
    `${start}rules:\n  - name: a\n    require: !upstream.exists(a, a.name == "b")`,
    '6:14: "!upstream.exists(a, a.name == "b")" begins with !, which YAML reads as a tag. Put the whole text in quotes, or write it below |.',
  ],
  [`${start}rules:\n\t- a`, '5:1: "- a" is not YAML. The line is indented with a tab. Use spaces.'],
  [`${start}signers: {}\nrules: []`, '4:1: "signers" is there twice. Remove or rename one.'],
  ['{"cairn": "policy/1", "cairn": "policy/1"}', '1:23: "cairn" is there twice. Remove or rename one.'],
  [
    `${start}description: "\\ud800"\nrules: []`,
    '4:14: ""\\ud800"" has no form in JSON. Write whole Unicode characters, and numbers that are finite.',
  ],
  [
    `${start}examples: [{facts: {size: .inf}}]\nrules: []`,
    '4:27: ".inf" has no form in JSON. Write whole Unicode characters, and numbers that are finite.',
  ],
  [
    `${start}rules: [{name: a, require: 'true'}]\nexamples: [{expect: pass}]`,
    '5:12: examples[0] must have either facts or a manifest. It is "{"expect":"pass"}".',
  ],
])('a fault of a policy is said with its place and what is meant: %#', (text, line) => {
  expect(lines(text)).toContain(`policy.yaml:${line}`);
});

test('an issuer that is missing in a signer is asked for, and not another form of signer', () => {
  const text = start.replace('"did:key:z6MkBuilder"', '{sigstore: {identity: a@example.com}}');
  expect(lines(`${text}rules: [{name: a, require: 'true'}]`).join()).toContain(
    'signers.builder[0].sigstore.issuer is missing. It must be a URL.',
  );
});
