import { ServiceError } from '../../errors.ts';
import type { JsonMember, JsonSlice } from '../../json/json-cursor.ts';
import type { JsonFile } from '../../json/json-file.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { type Cid, cidUrn } from '../identifiers/cid.ts';
import { DigestSet } from '../identifiers/digest-set.ts';
import { blake3Digest } from '../identifiers/hashing.ts';
import type { ClosedWorld, Identification, IdentifiedRow, Identifier } from '../ports.ts';
import { type CarriedBlob, verifyBlob } from './blobs.ts';
import type { ManifestCarrier } from './carrier.ts';
import type { ManifestFile } from './file.ts';
import { type Checked, failAt, isProblem, placeIn, problem, problemWithin } from './problem.ts';

export interface StatementChecking {
  readonly identifier: Pick<Identifier, 'identifyUnder'>;
  readonly maxStatementBytes: number;
}

/** Groups in flight, so that the threads have work while results are processed. */
const groupsAhead = 3;

/** What was found out about statements, in the order of their keys. */
interface CheckedStatements {
  readonly keys: readonly string[];
  readonly checked: readonly Checked<CheckedStatement>[];
}

/**
 * Recomputes the id of every statement, in the order of the manifest.
 * @param ids receives the ids of the valid statements.
 */
export async function* checkStatements(
  { identifier, maxStatementBytes }: StatementChecking,
  { json, statements }: ManifestFile,
  world: ClosedWorld,
  ids: DigestSet,
): AsyncGenerator<CheckedStatements> {
  const groups = statementGroups(json, statements, maxStatementBytes);
  const results = mapConcurrent(groups, groupsAhead, async (group) => ({
    keys: group.keys,
    found: checkGroup(group, await identifier.identifyUnder(group.body, group.ranges, world)),
  }));
  for await (const { keys, found } of results) {
    const checked = found.map((one) => {
      if (isProblem(one) || ids.add(one.row.rdfcCid.digest)) return one;
      return problem(one.pointer, 'invalid_request', 'The manifest contains the statement twice.');
    });
    yield { keys, checked };
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

/** A statement of a manifest with a verified id. */
interface CheckedStatement {
  /** RFC 6901 pointer into the manifest. */
  readonly pointer: string;
  readonly row: IdentifiedRow;
}

interface StatementGroup {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  /** Start and end of each statement in `body`, in pairs. */
  readonly ranges: readonly number[];
}

const groupStatements = 500;
const groupBytes = 1 << 20;

/** @throws ServiceError `too_large` for a statement beyond the limit. */
async function* statementGroups(json: JsonFile, statements: JsonSlice, maxStatementBytes: number) {
  let members: JsonMember[] = [];
  for await (const member of json.members(statements)) {
    const { key, start, end } = member;
    if (end - start > maxStatementBytes) throwTooLarge(key, end - start, maxStatementBytes);
    const from = members[0]?.start ?? start;
    if (members.length === groupStatements || end - from > groupBytes) {
      if (members.length > 0) yield await group(json, members);
      members = [];
    }
    members.push(member);
  }
  if (members.length > 0) yield await group(json, members);
}

async function group(json: JsonFile, members: readonly JsonMember[]): Promise<StatementGroup> {
  const start = members[0]?.start ?? 0;
  const body = await json.bytes({ start, end: members.at(-1)?.end ?? start });
  const ranges = members.flatMap((member) => [member.start - start, member.end - start]);
  return { keys: members.map(({ key }) => key), body, ranges };
}

/** The result for each statement of a group. Its key must be its id. */
function checkGroup({ keys }: StatementGroup, identifications: readonly Identification[]) {
  return identifications.map((result, at) => {
    const key = keys[at] ?? '';
    const pointer = placeIn('statements', key);
    if ('error' in result) return problemWithin(pointer, result.error);
    const { row } = result;
    const id = cidUrn(row.rdfcCid);
    if (key === id) return { pointer, row };
    return problem(pointer, 'id_mismatch', `The key is wrong: the id of this statement is "${id}".`);
  });
}

function throwTooLarge(key: string, size: number, limit: number): never {
  failAt(
    placeIn('statements', key),
    'too_large',
    `The statement has ${size} bytes. At most ${limit} are accepted (CAIRN_MAX_STATEMENT_BYTES raises the limit).`,
  );
}
