import { ServiceError } from '../../../domain/errors.ts';
import { cidUrn } from '../../../domain/integrity/identifiers/cid.ts';
import type { LocalIdentifier } from '../../client/local-identifier.ts';
import type { ExpectedCids } from './expected-cids.ts';
import type { Problem, Report } from './report.ts';

export interface StatementInput {
  readonly name: string;
  readonly line?: number;
  readonly bytes: Uint8Array;
}

/**
 * Recomputes both CIDs of a statement and compares the id with its `@id`. Matches the CIDs against `expected`.
 * @throws Failure (usage) if a context is not known.
 */
export async function verifyStatement(
  { bytes, ...about }: StatementInput,
  identifier: LocalIdentifier,
  expected: ExpectedCids,
): Promise<Report> {
  const head = { ...about, kind: 'statement' } as const;
  try {
    const { rdfcCid, jcsCid, uncovered } = await identifier.identify(bytes);
    // The bytes have been parsed strictly before.
    const given: unknown = JSON.parse(Buffer.from(bytes).toString())['@id'];
    const id = cidUrn(rdfcCid);
    const reason = 'the @id is not the id of this statement';
    const wrongId = { pointer: '/@id', given: String(given), computed: id, reason };
    const problems = given === undefined || given === id ? [] : [wrongId];
    expected.match(rdfcCid, jcsCid);
    const cids = { id, rdfc_cid: rdfcCid.text, jcs_cid: jcsCid.text };
    return { ...head, cids, compared: given === undefined ? 0 : 1, uncovered, problems };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { ...head, cids: {}, compared: 1, uncovered: [], problems: problemsOf(error) };
  }
}

function problemsOf({ message, details = [] }: ServiceError): Problem[] {
  if (details.length === 0) return [{ reason: message }];
  return details.map(({ pointer, reason }) => ({ ...(pointer !== undefined && { pointer }), reason }));
}
