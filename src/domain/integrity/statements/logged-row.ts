import type { LoggedRow } from '../../log/ports.ts';
import type { WholeStatement } from './rows.ts';

/** What a log has of a row. */
export function loggedRow({ position, rdfcCid, jcsCid, isTrusted }: WholeStatement): LoggedRow {
  return { position, rdfcDigest: rdfcCid.digest, jcsDigest: jcsCid.digest, isTrusted };
}
