import { cidIn, parseCid } from '../../integrity/identifiers/cid.ts';
import type { StatementRow } from '../../integrity/ports.ts';
import { claimedRetraction, retractions } from '../../integrity/retractions/retraction-records.ts';
import { signatures } from '../../integrity/signatures/signatures.ts';
import { orphan, repairable, type StoreProblem, unfinished } from '../problems.ts';
import type { FsckRun } from './run.ts';

type Run = Pick<FsckRun, 'store' | 'repair'>;

/** Compares what retractions withdraw with the index. */
export async function* retractionsOfRows(
  { store, repair }: Run,
  rows: readonly StatementRow[],
): AsyncGenerator<StoreProblem> {
  const claims = rows.flatMap((row) => claimedRetraction(row, Date.now()) ?? []);
  if (claims.length === 0) return;
  const stored = await store.of(retractions).among(
    'key',
    claims.map(({ id }) => id),
    1,
  );
  for (const [at, claim] of claims.entries()) {
    const [known] = stored[at] ?? [];
    const { retraction, authority, subject, reason, time } = claim;
    const [signed = []] = await store.of(signatures).among('byProof', [retraction], 1, ['ok', authority]);
    const withdrawn = signed.length > 0 ? subject : null;
    const isRight =
      known?.subject === subject &&
      known.reason === reason &&
      known.time === time &&
      known.withdrawn === withdrawn;
    if (isRight) continue;
    if (repair) await store.putRecord(retractions, { ...claim, withdrawn });
    if (known) yield repairable('retraction', claim.id, 'The index has other facts about it', repair);
    else yield unfinished('retraction', claim.id, 'The index does not have it yet', repair);
  }
}

/** Finds what no retraction withdraws. */
export async function* fsckRetractions({ store, repair }: Run): AsyncGenerator<StoreProblem> {
  for await (const page of store.records(retractions)) {
    const cids = page.flatMap(({ record }) => cidIn(String((record as { carrier?: unknown }).carrier)) ?? []);
    const known = await store.hasStatements(cids);
    for (const { id, record } of page) {
      const carrier = cidIn(String((record as { carrier?: unknown }).carrier));
      if (carrier && known.has(parseCid(carrier.text).text)) continue;
      if (repair) await store.removeRecord(retractions, id);
      yield orphan('retraction', id, 'No stored statement withdraws this', repair);
    }
  }
}
