import { XmlDocument, type XmlElement } from 'libxml2-wasm';
import type { CheckAnswer } from '../../../contract/integrity/checks.ts';
import { ruleReasons } from '../../../contract/words/verdicts.ts';
import { commandsThatAdd } from '../../../domain/integrity/policies/facts-table/missing-command.ts';

type Verdict = CheckAnswer['verdicts'][number];
type Rule = Verdict['rules'][number];
type Named = (id: string) => string;

/** A check as JUnit XML: a suite for each subject, a case for each rule. What cannot be told is an error. */
export function junitXml(answer: CheckAnswer, policyName: string, named: Named): string {
  using document = XmlDocument.create();
  const root = document.createRoot('testsuites');
  const all = answer.verdicts.flatMap(({ rules }) => rules);
  // The schema of the xUnit plugin of Jenkins, which it enforces, has no other attributes here.
  const { skipped: _, ...counts } = countsOf(all);
  set(root, { name: policyName, ...counts });
  for (const { subject, rules } of answer.verdicts) {
    const suite = root.addElement('testsuite');
    set(suite, { name: named(subject), id: subject, ...countsOf(rules), timestamp: answer.checked_at });
    for (const rule of rules) addCase(suite, rule, policyName, named);
  }
  return document.toString({ format: true });
}

function addCase(suite: XmlElement, rule: Rule, policyName: string, named: Named): void {
  const one = suite.addElement('testcase');
  set(one, { name: rule.name, classname: policyName });
  const reasons = ruleReasons(rule, named);
  const element = elementOf(rule);
  if (element !== undefined) {
    const outcome = one.addElement(element);
    set(outcome, { message: reasons[0] ?? '', type: rule.result });
    outcome.addText([...reasons, ...commandsThatAdd(rule)].join('\n').toWellFormed());
  }
  const output = [...(element === undefined ? reasons : []), ...rule.decided_by];
  if (output.length > 0) one.addElement('system-out').addText(output.join('\n').toWellFormed());
}

/** Warnings pass, and their reasons are output. */
function elementOf({ result, severity }: Rule): 'failure' | 'error' | 'skipped' | undefined {
  if (result === 'excepted') return 'skipped';
  if (severity === 'warning' || result === 'pass') return undefined;
  return result === 'fail' ? 'failure' : 'error';
}

function countsOf(rules: readonly Rule[]) {
  const count = (wanted: string) => String(rules.filter((rule) => elementOf(rule) === wanted).length);
  const [failures, errors, skipped] = [count('failure'), count('error'), count('skipped')];
  return { tests: String(rules.length), failures, errors, skipped };
}

function set(element: XmlElement, attributes: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(attributes)) element.setAttr(name, value.toWellFormed());
}
