import { ServiceError } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import type { Cid } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { ClosedWorld, Identifier } from '../ports.ts';
import { type CarriedBlob, verifyBlob } from './blobs.ts';
import type { ManifestCarrier } from './carrier.ts';
import type { ManifestFile } from './file.ts';
import { type Checked, isProblem, problem } from './problem.ts';
import { type CheckedStatement, checkGroup, statementGroups } from './statements.ts';

export interface StatementChecking {
  readonly identifier: Pick<Identifier, 'identifyUnder'>;
  readonly maxStatementBytes: number;
}

/** Groups in flight, so that the threads have work while results are processed. */
const groupsAhead = 3;

/**
 * Recomputes the id of every statement, in the order of the manifest.
 * @param ids receives the ids of the valid statements.
 */
export async function* checkStatements(
  { identifier, maxStatementBytes }: StatementChecking,
  { json, statements }: ManifestFile,
  world: ClosedWorld,
  ids: DigestSet,
): AsyncGenerator<Checked<CheckedStatement>[]> {
  const groups = statementGroups(json, statements, maxStatementBytes);
  const results = mapConcurrent(groups, groupsAhead, async (group) =>
    checkGroup(group, await identifier.identifyUnder(group.body, group.ranges, world)),
  );
  for await (const checked of results) {
    yield checked.map((one) => {
      if (isProblem(one) || ids.add(one.row.rdfcCid.digest)) return one;
      return problem(one.pointer, 'invalid_request', 'The manifest contains the statement twice.');
    });
  }
}

export interface CheckedBlob {
  readonly blob: CarriedBlob;
  readonly cid: Cid;
  /** The content of a small blob. */
  readonly bytes: Uint8Array | undefined;
}

export async function* checkBlobs(carrier: ManifestCarrier): AsyncGenerator<Checked<CheckedBlob>> {
  const names = new DigestSet();
  for await (const blob of carrier.allBlobs()) {
    const checked = await checkBlob(blob);
    const isTwice =
      carrier.form === 'json' && !isProblem(checked) && !names.add(blake3Digest(checked.cid.text));
    yield isTwice ? problem(blob.place, 'invalid_request', 'The manifest contains the blob twice.') : checked;
  }
}

async function checkBlob(blob: CarriedBlob): Promise<Checked<CheckedBlob>> {
  try {
    return { blob, ...(await verifyBlob(blob)) };
  } catch (error) {
    if (error instanceof ServiceError) return { place: blob.place, error };
    throw error;
  }
}
