import type { ManifestSummary } from '../manifest/summary.ts';
import { evaluateWith } from './evaluate.ts';
import { type Policy, policyOf } from './read-policy.ts';

/** What is known of a manifest as a whole. */
export type Judged = Pick<
  ManifestSummary,
  'faults' | 'ids' | 'known' | 'isAsked' | 'credentials' | 'logs' | 'unlogged'
>;

/**
 * `failed`: something was altered. `unaltered`: nothing was, and nobody has said whom they trust. Otherwise somebody whom the
 * reader trusts has signed some statements (`partly_known`) or each of them (`known`).
 */
export type Answer = 'failed' | 'unaltered' | 'partly_known' | 'known';

/** What the policy of verification says. */
export interface Judgement {
  readonly answer: Answer;
  /** The rules that are not fulfilled. */
  readonly broken: ReadonlySet<VerificationRule>;
}

/** The rules by which a manifest is verified. Each counts what it has seen, so a manifest may have any number of statements. */
const rules = {
  unaltered: 'problems == 0',
  'the reader trusts somebody': 'is_asked',
  'there are statements': 'statements > 0',
  'all are signed by somebody whom the reader trusts': 'known_statements == statements',
  'no credential is or may be withdrawn': 'suspended + revoked + unknown_status == 0',
  'a log shows what there is': 'logs > 0',
  'the reader trusts these logs': 'known_logs == logs',
  'the logs have all statements': 'unlogged == 0',
} as const;

export type VerificationRule = keyof typeof rules;

const int = { type: 'int' };
/** What the rules can name. */
const facts = {
  problems: int,
  is_asked: { type: 'bool' },
  statements: int,
  known_statements: int,
  suspended: int,
  revoked: int,
  unknown_status: int,
  logs: int,
  known_logs: int,
  unlogged: int,
};

let known: Policy | undefined;

function verificationPolicy(): Policy {
  if (known) return known;
  const written = Object.entries(rules).map(([name, require]) => ({ name, require }));
  const read = policyOf({ cairn: 'policy/1', name: 'verification', rules: written }, facts);
  if ('problems' in read) throw new TypeError(JSON.stringify(read.problems));
  known = read.policy;
  return known;
}

/** Decides by the policy of verification what a manifest proves to its reader. */
export async function judge(manifest: Judged): Promise<Judgement> {
  const verdict = await evaluateWith(verificationPolicy(), {
    subject: 'manifest',
    faults: [],
    now: new Date(0),
    binding: () => ({ variables: () => valuesOf(manifest) }),
  });
  const unfulfilled = verdict.rules.filter(({ result }) => result !== 'pass');
  const broken = new Set(unfulfilled.map(({ name }) => name as VerificationRule));
  return { answer: answerOf(broken), broken };
}

function answerOf(broken: ReadonlySet<VerificationRule>): Answer {
  if (broken.has('unaltered')) return 'failed';
  if (broken.has('the reader trusts somebody')) return 'unaltered';
  const isKnown =
    !broken.has('there are statements') && !broken.has('all are signed by somebody whom the reader trusts');
  return isKnown ? 'known' : 'partly_known';
}

function valuesOf({ faults, ids, known, isAsked, credentials, logs, unlogged }: Judged) {
  return {
    problems: BigInt(faults),
    is_asked: isAsked,
    statements: BigInt(ids),
    known_statements: BigInt(known),
    suspended: BigInt(credentials.suspended),
    revoked: BigInt(credentials.revoked),
    unknown_status: BigInt(credentials.unknown),
    logs: BigInt(logs.length),
    known_logs: BigInt(logs.filter(({ checkpoint }) => checkpoint.isKnown).length),
    unlogged: BigInt(unlogged),
  } satisfies Record<keyof typeof facts, bigint | boolean>;
}
