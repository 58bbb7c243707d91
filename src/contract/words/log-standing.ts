import type { LogStanding } from '../integrity/log-standing.ts';

const witnessProblems: Readonly<Record<string, string>> = {
  unreachable: 'it does not answer',
  refused: 'it answers with an error',
  unknown_log: 'it does not follow this log. Give it the verifier key of /log/v1/key',
  untrusted: 'it knows this log by another key',
  no_cosignature: 'it answers without a cosignature by the key that the policy names',
  wrong_cosignature: 'its cosignature is wrong',
  backdated:
    'its clock is more than a day behind the clock of this service, so its time would prove too much. Correct the wrong one',
  larger_tree: 'it knows a larger tree of this log than this store has',
  other_tree: 'it knows another tree of this log than this store has',
};

/** Why a witness does not cosign; undefined if it does. */
export function witnessProblemWords({ problem }: Pick<LogStanding, 'problem'>): string | undefined {
  return problem ? (witnessProblems[problem.code] ?? problem.code) : undefined;
}

/** Why no checkpoint is published; undefined if nothing is wrong. */
function publishingProblemWords({ problem }: Pick<LogStanding, 'problem'>): string | undefined {
  if (!problem) return undefined;
  const nothing = 'No new checkpoint of the log is published';
  if (problem.code === 'other_history')
    return `${nothing}, because a witness or the head file knows another history of it. See docs/backup.md.`;
  if (problem.code === 'no_process')
    return `${nothing}, because no process that works on jobs and has the key of the log is running. Start one: "cairn serve jobs".`;
  return problem.code === 'too_few_witnesses'
    ? `${nothing}: too few witnesses have cosigned it.`
    : `${nothing}.`;
}

/** What an operator has to know. */
export function logWarnings(own: LogStanding | undefined, witnesses: readonly LogStanding[]): string[] {
  const publishing = own && publishingProblemWords(own);
  const failing = witnesses.flatMap((witness) => {
    const reason = witnessProblemWords(witness);
    return reason === undefined
      ? []
      : [`The witness ${witness.names.join(', ')} does not cosign the log: ${reason}.`];
  });
  return [...(publishing === undefined ? [] : [publishing]), ...failing];
}
