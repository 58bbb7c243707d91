import type { AdmissionAnswer, AdmissionMode } from '../../contract/admission/review.ts';
import {
  findingWords,
  firstFew,
  type ImageFinding,
  unknownPolicyWords,
  warningsOf,
} from '../../contract/words/admission.ts';

/** `not_asked`: no image fails, and of some nothing is known. */
type Outcome = 'pass' | 'fail' | 'not_asked';

export interface Decision {
  readonly outcome: Outcome;
  readonly answer: Omit<AdmissionAnswer, 'uid'>;
}

interface Gate {
  readonly policy: string;
  readonly mode: AdmissionMode;
  /** Whether images that could not be checked are treated like images that fail. */
  readonly failsClosed: boolean;
}

/** What the findings about the images of an object lead to. */
export function decide(findings: readonly ImageFinding[], { policy, mode, failsClosed }: Gate): Decision {
  const failing = findings.filter(({ outcome }) => !['pass', 'exempt', 'not_asked'].includes(outcome));
  const unknown = findings.filter(({ outcome }) => outcome === 'not_asked');
  const say = (list: readonly ImageFinding[]) => list.map((finding) => findingWords(finding, policy));
  const outcome = failing.length > 0 ? 'fail' : unknown.length > 0 ? 'not_asked' : 'pass';
  const refusing = say([...failing, ...(failsClosed ? unknown : [])]);
  const notices = [
    ...(failsClosed ? [] : say(unknown).map((words) => `${words} It is admitted all the same.`)),
    ...findings.flatMap(warningsOf),
  ];
  return { outcome, answer: answerOf(outcome, mode, refusing, notices) };
}

/** Nobody can tell what an unknown policy demands. So it is an error of whoever set it, in each mode. */
export function decideUnknown(
  policy: string | undefined,
  mode: AdmissionMode,
  known: readonly string[],
): Decision {
  return { outcome: 'fail', answer: answerOf('fail', mode, [unknownPolicyWords(policy, known)], []) };
}

/** @param refusing why the object is not admitted; nothing if it is. @param notices what to know although it is admitted. */
function answerOf(
  outcome: Outcome,
  mode: AdmissionMode,
  refusing: readonly string[],
  notices: readonly string[],
): Decision['answer'] {
  const allowed = mode !== 'enforce' || refusing.length === 0;
  const warnings = mode === 'warn' ? [...refusing, ...notices] : mode === 'enforce' ? notices : [];
  const reasons = [...refusing, ...notices];
  const message = firstFew(refusing).join('\n');
  return {
    allowed,
    ...(!allowed && { status: { code: 403, reason: 'Forbidden', message } }),
    ...(warnings.length > 0 && { warnings: firstFew(warnings) }),
    auditAnnotations: { outcome, ...(reasons.length > 0 && { reason: firstFew(reasons).join('\n') }) },
  };
}
