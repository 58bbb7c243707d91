import type { CheckAnswer } from '../integrity/checks.ts';
import { bareId, counted, harmless, shortId } from './text.ts';
import type { Tone } from './trust.ts';

type VerdictAnswer = CheckAnswer['verdicts'][number];
type RuleAnswer = VerdictAnswer['rules'][number];

/** What is said of a rule. Verdicts of the domain have these members too. */
export type JudgedRule = Pick<RuleAnswer, 'result' | 'severity' | 'message' | 'exception'> & {
  readonly missing: readonly MissingFact[];
  readonly doubts: readonly Doubt[];
  readonly withdrawn?: readonly Withdrawn[] | undefined;
  readonly things: { readonly count: number; readonly deciding: readonly string[] } | null;
};
type MissingFact = Readonly<RuleAnswer['missing'][number]>;
type Doubt = Readonly<RuleAnswer['doubts'][number]>;
type Withdrawn = Readonly<NonNullable<RuleAnswer['withdrawn']>[number]>;
type Exception = NonNullable<RuleAnswer['exception']>;

/** What people call a thing. */
type Named = (id: string) => string;

/** What a rule is marked with. A warning fails without consequences. */
export type RuleMark = RuleAnswer['result'] | 'warning';

interface Mark {
  readonly label: string;
  readonly meaning: string;
  readonly tone: Tone;
}

export const ruleMarks: Readonly<Record<RuleMark, Mark>> = {
  pass: { label: 'pass', meaning: 'the evidence fulfils it', tone: 'good' },
  fail: { label: 'fail', meaning: 'the evidence does not fulfil it', tone: 'bad' },
  cannot_tell: { label: 'cannot tell', meaning: 'the evidence is not enough to decide it', tone: 'warning' },
  excepted: {
    label: 'accepted',
    meaning: 'it fails, and somebody accepts that for a while',
    tone: 'warning',
  },
  warning: { label: 'warning', meaning: 'it does not pass, which only warns', tone: 'warning' },
};

export function ruleMark({ result, severity }: Pick<JudgedRule, 'result' | 'severity'>): RuleMark {
  return severity === 'warning' && result !== 'pass' ? 'warning' : result;
}

/** A verdict, or a check, in a word or two. */
export function resultLabel(result: CheckAnswer['result']): string {
  return ruleMarks[result].label;
}

/** A sentence: how many rules there are, and how many of them are not fulfilled. */
export function verdictWords({
  rules,
}: {
  readonly rules: readonly Pick<JudgedRule, 'result' | 'severity'>[];
}): string {
  const count = (wanted: RuleMark) => rules.filter((rule) => ruleMark(rule) === wanted).length;
  const parts = (['fail', 'cannot_tell', 'excepted', 'warning'] as const)
    .map((mark) => ({ mark, of: count(mark) }))
    .filter(({ of }) => of > 0)
    .map(({ mark, of }) => counts[mark](of));
  const all = counted(rules.length, 'rule');
  return parts.length === 0 ? `${all}, all fulfilled.` : `${all}: ${parts.join(', ')}.`;
}

const counts: Readonly<Record<Exclude<RuleMark, 'pass'>, (count: number) => string>> = {
  fail: (count) => `${count} not fulfilled`,
  cannot_tell: (count) => `${count} cannot be told`,
  excepted: (count) => `${count} not fulfilled, which is accepted for a while`,
  warning: (count) => counted(count, 'warning'),
};

/** Why a rule does not pass, one sentence each: what it says itself, what is missing or in doubt, and the exception. */
export function ruleReasons(rule: JudgedRule, named: Named = shortId): string[] {
  const { result, message, missing, doubts, withdrawn = [], exception } = rule;
  if (result === 'pass') return [];
  const isUnknown = result === 'cannot_tell';
  const found = isUnknown
    ? doubts.map((one) => doubtWords(one, named))
    : missing.map((one) => missingWords(one, named)).reverse();
  return unique([
    ...(message === undefined || isUnknown ? [] : [harmless(message, 2_000)]),
    ...thingsWords(rule, named),
    ...(found.length === 0 && message === undefined ? ['Its condition does not hold.'] : found),
    ...withdrawn.map(withdrawnWords),
    ...(exception ? [exceptionWords(exception, result === 'excepted')] : []),
  ]);
}

const thingsShown = 5;

/** Of a rule for several things: for which of them it does not pass. */
function thingsWords({ things, result }: JudgedRule, named: Named): string[] {
  if (!things || things.deciding.length === 0) return [];
  const { count, deciding } = things;
  const shown = deciding.slice(0, thingsShown).map(named);
  const more = deciding.length > shown.length ? [`${deciding.length - shown.length} more`] : [];
  const verb = result === 'cannot_tell' ? 'It cannot be told' : 'It is not fulfilled';
  return [`${verb} for ${deciding.length} of ${counted(count, 'thing')}: ${[...shown, ...more].join(', ')}.`];
}

/** What a rule looked for in vain. There may be some that are not as the rule demands. */
export function missingWords({ fact, kind, of }: MissingFact, named: Named = shortId): string {
  const thing = thingWords(kind, named(of));
  const say = member(missingSentences, fact);
  if (say) return say(thing);
  const one = member(nouns, fact);
  // A name stays as it is.
  const start = thing === named(of) ? thing : thing.charAt(0).toUpperCase() + thing.slice(1);
  return one === undefined
    ? `${start} has no ${factWords(fact)}.`
    : `${start} has no ${one} that the rule accepts.`;
}

/** What kinds of facts without a name of their own are parts of. */
const parts: Readonly<Record<string, string>> = {
  review: 'a review of',
  declaration: 'a declaration about',
  certificate: 'a certificate of',
  membership: 'a membership of',
  provenance: 'a build provenance of',
  component: 'a component of',
  signature: 'a signature of',
  log: 'the log entry of',
  witness: 'a witness of the log entry of',
  computation: 'the computation',
};

function thingWords(kind: string | undefined, name: string): string {
  const part = kind === undefined ? undefined : member(parts, kind);
  return part === undefined ? name : `${part} ${name}`;
}

const nouns: Readonly<Record<string, string>> = {
  reviews: 'review',
  declarations: 'declaration',
  certificates: 'certificate',
  memberships: 'membership',
  provenance: 'build provenance',
  components: 'component',
  vulnerabilities: 'vulnerability',
  signatures: 'signature',
  model_signatures: 'signature over the files of the model',
  statements: 'statement',
  names: 'name',
  kinds: 'kind',
  inputs: 'input',
  outputs: 'output',
  programs: 'program',
  exchanges: 'exchange',
  operated: 'computation',
  members: 'file',
  roles: 'role',
  controls: 'control',
  licenses: 'license',
  witnesses: 'witness',
};

const missingSentences: Readonly<Record<string, (name: string) => string>> = {
  made_by: (name) => `No computation is recorded that made ${name} and that the rule accepts.`,
  upstream: (name) => `Nothing is known that ${name} was made from and that the rule accepts.`,
  computations: (name) => `No computation is recorded behind ${name} that the rule accepts.`,
  agents: (name) => `No agent is recorded behind ${name} that the rule accepts.`,
  signed_by: (name) => `Nobody whom the policy names has signed ${name}, so that it counts now.`,
  signers: (name) => `The signer whom the rule demands has not signed ${name}, so that it counts now.`,
  all: (name) => `The rule demands something of all, and ${name} does not fulfil it.`,
  complete: (name) =>
    `Nothing here proves that all statements behind ${name} are in a log that counts. Offline, export with --proofs, and name the log with --log-key.`,
  by: (name) => `The policy does not name the signer of ${name}.`,
};

/** A member of a JSON object stays as it is written: `metrics.mean_error`. */
function factWords(fact: string): string {
  if (fact === 'at') return 'time';
  return fact.includes('.') ? harmless(fact) : fact.replaceAll('_', ' ');
}

/** Why a rule cannot be told. */
export function doubtWords({ code, fact, kind, of = '' }: Doubt, named: Named = shortId): string {
  const say = member(doubtSentences, code);
  const thing = code === 'altered' ? of : thingWords(kind, named(of));
  // A newer service may know more doubts.
  return say?.(factWords(fact ?? 'something'), thing) ?? `It cannot be told (${code}).`;
}

const doubtSentences: Readonly<Record<string, (fact: string, name: string) => string>> = {
  altered: (_, place) => `It was altered${place === '' ? '' : ` at ${place}`}, so nothing passes.`,
  disputed: (_, name) =>
    `Somebody says that ${name} is withdrawn, and nothing in the manifest tells whether they may. Ask the service, or ask its author to sign the retraction.`,
  too_costly: () =>
    'The condition takes too many steps. Ask for less in one rule, or filter the list before.',
  cut: (fact, name) => `There may be more ${fact} of ${name} than were read.`,
  nothing_to_check: (fact, name) =>
    `Nothing is known about ${fact} of ${name}, so that all of them fulfil the rule says nothing.`,
  nothing_chosen: (fact, name) =>
    `The rule chose nothing from the ${fact} of ${name}, so it proves nothing. If that is fine, write it with for and may_be_empty: true.`,
  nothing_found: () =>
    'The rule found nothing to apply to. If that is fine, write may_be_empty: true in the rule.',
  no_value: () =>
    'The condition has no value. It divides by zero, or reads a member or an item that is not there.',
  wrong_types: () =>
    'The condition computes with or compares values of types that do not fit, such as a text and a number. To compute with numbers of JSON, which are fractions, write 100.0 instead of 100.',
  not_said: (fact, name) => `Nobody has said the ${fact} of ${name}.`,
  not_read: (fact, name) => `The ${fact} of ${name} was not read, because there are too many statements.`,
  standing_unknown: (fact, name) =>
    `Nobody can tell whether the signature behind ${fact} of ${name}, or what it rests on, was revoked. Give the status list, or an export with everything.`,
  no_such_evidence: (fact, name) =>
    `No document was imported that says anything about ${fact} of ${name}. "Not known" is not "none".`,
  no_log_proof: (_, name) => `Nothing here proves the place of ${name} in a log that the policy accepts.`,
  not_visible: (fact, name) =>
    `The ${fact} of ${name} cannot be read here. An administrator can check them at the service.`,
  bytes_missing: (fact, name) => `The bytes of the document that says the ${fact} of ${name} are not there.`,
};

/** What was there, and who withdrew it when. */
export function withdrawnWords({ statement, state, by, at, reason }: Withdrawn): string {
  const id = bareId(statement);
  if (state === 'retracted') {
    const time = at === undefined ? '' : ` at ${harmless(at)}`;
    const why = reason === undefined ? '.' : `: ${harmless(reason, 500)}`;
    return `${id} was retracted by ${by === undefined ? 'whoever registered it' : harmless(by)}${time}${why}`;
  }
  const what = by === undefined ? id : `The signature of ${harmless(by)} on ${id}`;
  return `${what} ${member(standingWords, state) ?? `does not count now (${harmless(state)})`}.`;
}

const standingWords: Readonly<Record<string, string>> = {
  revoked: 'was revoked',
  suspended: 'is suspended',
  expired: 'has expired',
  not_yet_valid: 'is not valid yet',
  unsigned: 'is not signed',
  unsupported: 'rests on evidence that was withdrawn',
};

function exceptionWords({ until, granted_by: by, reason }: Exception, isInForce: boolean): string {
  const who = harmless(by);
  return isInForce
    ? `${who} accepts that until ${until}: ${harmless(reason, 2_000)}`
    : `The exception that ${who} granted until ${until} is not in force.`;
}

function member<Value>(of: Readonly<Record<string, Value>>, name: string): Value | undefined {
  return Object.hasOwn(of, name) ? of[name] : undefined;
}

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
