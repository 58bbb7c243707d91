import {
  auditExchanges,
  type SealedPart,
  stateRecords,
} from '../../control-plane/gateway/runtime-records.ts';
import { readSealed, timeOfPack } from '../../control-plane/gateway/sealed-contents.ts';
import { cidIn } from '../../integrity/identifiers/cid.ts';
import type { CheckedStore } from '../contents.ts';
import { lost, messageOfDamage, orphan, type StoreProblem } from '../problems.ts';
import { compareDerived, derivedStateBlobs, orphanedRecords } from './derived-records.ts';
import type { FsckRun } from './run.ts';

/** Longer than any request may take, so that no running request loses its pack. */
const orphanMs = 3_600_000;

/** Hashes the bodies and state blobs of records, compares the index of these blobs, and finds packs without a record. */
export async function* fsckSealed(run: FsckRun): AsyncGenerator<StoreProblem> {
  const { store, repair } = run;
  for await (const page of store.records(auditExchanges))
    for (const { id, record } of page) {
      const { data } = auditExchanges.shape.safeParse(record);
      yield* damagedParts(run, `audit_exchanges/${id}`, [data?.requestBody, data?.responseBody]);
    }
  for await (const page of store.records(stateRecords)) {
    const states = page.flatMap(({ record }) => stateRecords.shape.safeParse(record).data ?? []);
    for (const { id, attestation, blobs } of states)
      yield* damagedParts(run, `state_records/${id}`, [attestation, ...blobs]);
    yield* compareDerived(run, derivedStateBlobs, states);
  }
  yield* orphanedRecords(run, derivedStateBlobs);
  for await (const name of store.sealedContents.names()) {
    if (timeOfPack(name) > store.now().getTime() - orphanMs || (await isUsed(store, name))) continue;
    if (repair) await store.sealedContents.remove(name);
    yield orphan('sealed', name, 'It belongs to no record', { repair });
  }
}

async function* damagedParts(
  { store, isWanted }: FsckRun,
  id: string,
  parts: readonly (SealedPart | null | undefined)[],
): AsyncGenerator<StoreProblem> {
  for (const part of parts) {
    const cid = part && cidIn(part.cid);
    if (cid && !isWanted(cid.digest)) continue;
    try {
      if (part) await readSealed(store.sealedContents, part);
    } catch (error) {
      yield lost('sealed', id, messageOfDamage(error), 'Restore it from a backup.');
    }
  }
}

/** A damaged record may refer to any pack, so an index of the store decides. */
async function isUsed(store: CheckedStore, name: string): Promise<boolean> {
  const request = { after: null, limit: 1 };
  const [exchanges, states] = await Promise.all([
    store.of(auditExchanges).page('byPack', [name], request),
    store.of(stateRecords).page('byPack', [name], request),
  ]);
  return exchanges.records.length + states.records.length > 0;
}
