import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseCheckpoint } from '../../log/notes/checkpoint.ts';
import { parseNote } from '../../log/notes/signed-note.ts';
import type { LogReading } from '../../log/reading.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { Verdict } from './verdict.ts';

/**
 * The document about a check that a certificate rests on. Its form is published: members are only added, and a change of their meaning
 * needs the next version.
 */
const outcomeType = 'CairnCheck';
const outcomeVersion = 1;

/** What a check has found, and how far the log of the service had got. */
export async function outcomeDocument(
  verdict: Verdict,
  { published }: Pick<LogReading, 'published'>,
): Promise<JsonObject> {
  const { result, policy, subject, checkedAt, rules } = verdict;
  const newest = await published();
  return {
    type: outcomeType,
    version: outcomeVersion,
    subject,
    policy: cidUrn(policy),
    checked_at: checkedAt,
    result,
    rules: rules.map(({ name, severity, result: of, decidedBy }) => ({
      name,
      severity,
      result: of,
      decided_by: decidedBy,
    })),
    ...(newest && { log: positionOf(newest.note) }),
  };
}

function positionOf(note: string) {
  const { origin, size, root } = parseCheckpoint(parseNote(note).text);
  return { origin, size, root: Buffer.from(root).toString('base64') };
}

/** The statements on which the rules of a document about a check rest; none if it is no such document. */
export function statementsIn(outcome: unknown): string[] {
  if (!isObject(outcome) || outcome.type !== outcomeType || !Array.isArray(outcome.rules)) return [];
  const named = outcome.rules
    .filter(isObject)
    .flatMap(({ decided_by: some }) => (Array.isArray(some) ? some : []));
  return [...new Set(named.filter((one) => typeof one === 'string'))];
}
