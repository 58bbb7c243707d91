import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseCheckpoint } from '../../log/notes/checkpoint.ts';
import { parseNote } from '../../log/notes/signed-note.ts';
import type { LogReading } from '../../log/reading.ts';
import { type Cid, cidUrn } from '../identifiers/cid.ts';
import { parsedDocument } from '../names/name.ts';
import { mostStatements, type Verdict } from './verdict.ts';

/**
 * The document about a check that a certificate rests on. Its form is published: members are only added, and a change of their meaning
 * needs the next version.
 */
const outcomeType = 'CairnCheck';
const outcomeVersion = 1;

const outcomeLimit = 4 << 20;

/**
 * What a check has found, and how far the log of the service had got.
 * @throws ServiceError `too_large` if it rests on too many statements.
 */
export async function outcomeDocument(
  verdict: Verdict,
  { published }: Pick<LogReading, 'published'>,
): Promise<JsonObject> {
  const { result, policy, subject, checkedAt, rules } = verdict;
  const newest = await published();
  const outcome = {
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
  const { size } = new Set(rules.flatMap(({ decidedBy }) => decidedBy));
  if (size > mostStatements || Buffer.byteLength(JSON.stringify(outcome)) > outcomeLimit)
    throw new ServiceError(
      'too_large',
      `The check rests on too many statements for a certificate, which may name ${mostStatements} in a document of ${outcomeLimit} bytes. Certify with fewer rules, or with rules that look at less.`,
    );
  return outcome;
}

function positionOf(note: string) {
  const { origin, size, root } = parseCheckpoint(parseNote(note).text);
  return { origin, size, root: Buffer.from(root).toString('base64') };
}

/** The statements on which a check rested, by the document about it; undefined if that is not there, or names too many. */
export async function statementsOfOutcome(
  documents: (cids: readonly Cid[], limit: number) => Promise<readonly (Uint8Array | undefined)[]>,
  cid: Cid,
): Promise<readonly string[] | undefined> {
  const [bytes] = await documents([cid], outcomeLimit);
  const statements = bytes && statementsIn(parsedDocument(bytes, outcomeLimit));
  return statements && statements.length <= mostStatements ? statements : undefined;
}

/** The statements on which the rules of a document about a check rest; none if it is no such document. */
function statementsIn(outcome: unknown): string[] {
  if (!isObject(outcome) || outcome.type !== outcomeType || !Array.isArray(outcome.rules)) return [];
  const named = outcome.rules
    .filter(isObject)
    .flatMap(({ decided_by: some }) => (Array.isArray(some) ? some : []));
  return [...new Set(named.filter((one) => typeof one === 'string'))];
}
