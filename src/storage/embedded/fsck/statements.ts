import type { DatabaseSync } from 'node:sqlite';
import { type Cid, codecs, makeCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../domain/integrity/ports.ts';
import { jcsText, packReferences } from '../../../domain/integrity/statements/packed-rows.ts';
import type { CheckedStore, IsWanted, StatementEntry } from '../../../domain/maintenance/contents.ts';
import { digestTarget, hasJcs, jcsPlace, type Partition } from '../index/entries.ts';
import { membershipReads, selectWhole } from '../statements/statement-rows.ts';
import { registrarReads } from '../statements/statements.ts';
import { termReads, termWrites } from '../statements/terms.ts';

/** The size of a page, which is also a write of a migration. */
const pageRows = 200;
const pageBytes = 1 << 20;

/** The rows of one partition in the order of storing. */
export function* statementPages(
  reader: DatabaseSync,
  partition: Partition,
  isWanted: IsWanted,
): Generator<StatementEntry[]> {
  reader.function('is_wanted', (digest) => Number(isWanted(digest as Uint8Array)));
  const rows = reader.prepare(selectWhole(partition, 'is_wanted(jcs_digest) ORDER BY seq'));
  const memberships = membershipReads(reader);
  const terms = termReads(reader);
  const registrars = registrarReads(reader);
  let page: StatementEntry[] = [];
  let bytes = 0;
  for (const row of rows.iterate()) {
    const jcs = row.jcs as Uint8Array;
    page.push({
      jcsCid: makeCid(codecs.jcs, row.jcs_digest as Uint8Array),
      jcs,
      contextSet: terms.find(Number(row.context_set)) ?? '',
      isTrusted: partition === 'verified',
      registrar: partition === 'verified' ? registrars.ofRow(Number(row.seq)) : null,
      position: Number(row.seq),
      graphIds: memberships(row).map(({ graphId }) => graphId),
      holds: (right) =>
        row.kind === terms.number(right.kind) &&
        row.time === right.time &&
        row.refs === refsOf(right) &&
        Buffer.compare(row.rdfc_digest as Uint8Array, right.rdfcCid.digest) === 0,
    });
    bytes += jcs.length;
    if (page.length < pageRows && bytes < pageBytes) continue;
    yield page;
    [page, bytes] = [[], 0];
  }
  if (page.length > 0) yield page;
}

/** The statements among these that are stored. */
export function storedStatements(reader: DatabaseSync, cids: readonly Cid[]): ReadonlySet<string> {
  const counts = (['verified', 'unverified'] as const).map((partition) =>
    reader.prepare(`SELECT 1 FROM ${partition}_rows WHERE ${hasJcs(partition)}`),
  );
  const isStored = ({ digest }: Cid) => counts.some((rows) => rows.get(digest, digestTarget(digest)));
  return new Set(cids.filter(isStored).map(({ text }) => text));
}

/** Corrects rows. An entry finds the row. If the entry is lost, all rows are searched. */
export function statementRewriting(writer: DatabaseSync): CheckedStore['rewrite'] {
  const termNumber = termWrites(writer);
  return async (right) => {
    const partition: Partition = right.isTrusted ? 'verified' : 'unverified';
    const { digest } = right.jcsCid;
    const change = `UPDATE ${partition}_rows SET rdfc_digest = ?, kind = ?, time = ?, refs = ? WHERE jcs_digest = ?`;
    const indexed = `seq IN (SELECT seq FROM ${partition}_entries WHERE target = ? AND place = ${jcsPlace})`;
    const values = [right.rdfcCid.digest, termNumber(right.kind), right.time, refsOf(right), digest];
    const found = writer.prepare(`${change} AND ${indexed}`).run(...values, digestTarget(digest));
    return found.changes > 0 || writer.prepare(change).run(...values).changes > 0;
  };
}

function refsOf({ references, kind, jcs }: StatementRow): string {
  return JSON.stringify(packReferences(references, { kind, jcs: jcsText(jcs) }));
}
