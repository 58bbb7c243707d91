import type { LineageEdgeAnswer } from '../../../contract/integrity/lineage.ts';
import type { TrustAnswer } from '../../../contract/integrity/trust.ts';
import { trustMark } from '../../../contract/words/trust.ts';
import { operation, registration } from '../../../domain/integrity/kinds/kind.ts';

export function isStep({ kind, role }: LineageEdgeAnswer): boolean {
  return kind === 'computation' && (role === 'input' || role === 'output');
}

/** Kinds of edges that run from an actor to what it did. */
const deeds = [registration, operation];

/** The relation of the node `id` to the node `at`. A role names one end of its edge. */
export function relation(
  { from, to, kind, role, type, statement }: LineageEdgeAnswer,
  at: string,
  id: string,
): string {
  const deed = deeds.find(({ name }) => name === kind)?.meaning;
  if (deed !== undefined) return id === from ? `${deed} by` : deed;
  const word = type === undefined ? role : `${role} (${type})`;
  const isNamed = statement === at || (statement !== id && id === to);
  return isNamed ? word : `${word} of`;
}

/** Who registered an edge and in which statement, unless the node `id` or the node `at` above it says that already. */
export function vouching(edge: LineageEdgeAnswer, at: string | undefined, id: string): string[] {
  const { statement, registered_by: by, unverified, trust } = edge;
  const words = [
    by === undefined || by === at || by === id ? undefined : `registered by ${by}`,
    statement === id ? undefined : `in ${statement}`,
    unverified && '(unverified)',
    statement === id ? undefined : trustNote(trust),
  ];
  const line = words.filter(Boolean).join(' ');
  return line === '' ? [] : [line];
}

/** What stands behind a statement, in parentheses. */
export function trustNote(trust: TrustAnswer): string {
  const { state, by, by_registrant: isRegistrant } = trust;
  const signer = by === undefined || isRegistrant ? '' : ` by ${by}`;
  return `(${state}${signer}${trustMark(trust) === 'invalid' ? ', not valid now' : ''})`;
}
