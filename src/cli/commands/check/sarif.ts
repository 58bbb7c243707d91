import packageJson from '../../../../package.json' with { type: 'json' };
import type { CheckAnswer } from '../../../contract/integrity/checks.ts';
import { ruleReasons } from '../../../contract/words/verdicts.ts';
import { commandsThatAdd } from '../../../domain/integrity/policies/facts-table/missing-command.ts';
import type { PolicyDocument } from '../../../domain/integrity/policies/policy.ts';

type Verdict = CheckAnswer['verdicts'][number];
type Rule = Verdict['rules'][number];

interface Checked {
  readonly answer: CheckAnswer;
  readonly policy: PolicyDocument;
  /** The file that readers of the results are shown: what was checked, or the policy. */
  readonly file: string;
  readonly named: (id: string) => string;
}

/**
 * A check in SARIF 2.1.0, which code scanning reads. Rules that pass have no result, because GitHub shows each result as a problem,
 * of whatever kind it is.
 */
export function sarifLog({ answer, policy, file, named }: Checked): object {
  // GitHub demands the descriptions and the help of each rule.
  const rules = policy.rules.map(({ name, message = name, article, severity }) => ({
    id: name,
    shortDescription: { text: name },
    fullDescription: { text: message },
    help: { text: message },
    defaultConfiguration: { level: severity },
    ...(article !== undefined && { properties: { article } }),
  }));
  const results = answer.verdicts.flatMap((verdict) =>
    verdict.rules
      .filter(({ result }) => result !== 'pass')
      .map((rule) => resultOf(rule, verdict.subject, { policy, file, named })),
  );
  return {
    $schema: 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'cairn', semanticVersion: packageJson.version, rules } },
        invocations: [{ executionSuccessful: true, endTimeUtc: answer.checked_at }],
        results,
        properties: { policy: answer.policy, result: answer.result, truncated: answer.truncated },
      },
    ],
  };
}

/** The kinds of SARIF (3.27.9). Only `fail` has a level. */
const kinds = { pass: 'pass', fail: 'fail', cannot_tell: 'open', excepted: 'fail' } as const;

function resultOf(rule: Rule, subject: string, { policy, file, named }: Omit<Checked, 'answer'>): object {
  const kind = kinds[rule.result];
  const reasons = ruleReasons(rule, named);
  const text = [`${named(subject)}: ${rule.name}.`, ...reasons, ...commandsThatAdd(rule)].join(' ');
  const suppressions = [
    { kind: 'external', status: 'accepted', justification: rule.exception?.reason ?? '' },
  ];
  return {
    ruleId: rule.name,
    ruleIndex: policy.rules.findIndex(({ name }) => name === rule.name),
    kind,
    level: kind === 'fail' ? rule.severity : 'none',
    message: { text },
    locations: [
      {
        physicalLocation: { artifactLocation: { uri: uriOf(file) }, region: { startLine: 1 } },
        logicalLocations: [{ fullyQualifiedName: subject, name: named(subject) }],
      },
    ],
    ...(rule.result === 'excepted' && { suppressions }),
    partialFingerprints: { 'cairnRule/v1': `${subject} ${rule.name}` },
    properties: { decided_by: rule.decided_by },
  };
}

/** A path as a relative URI reference. */
function uriOf(path: string): string {
  return path.split(/[\\/]/).map(encodeURIComponent).join('/');
}
