import { ServiceError } from '../errors.ts';
import type { JsonFile, JsonMember, JsonSlice } from '../json-file.ts';
import { jsonPointer } from '../strict-json.ts';
import { cidUrn } from './cid.ts';
import type { Identification, IdentifiedRow } from './ports.ts';

/** A statement of a manifest after its id was recomputed. */
export interface CheckedStatement {
  /** RFC 6901 pointer into the manifest. */
  readonly pointer: string;
  readonly row: IdentifiedRow;
}

/** Something of a manifest that is not as it should be. */
export interface ManifestFault {
  /** Where it is: an RFC 6901 pointer into the manifest, or the block of a CAR. */
  readonly place: string;
  readonly error: ServiceError;
}

/** Neighbouring statements that are identified together. */
export interface StatementGroup {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  /** Start and end of each statement in `body`, in pairs. */
  readonly ranges: readonly number[];
}

const groupStatements = 1_000;
const groupBytes = 1 << 20;

/** @throws ServiceError `too_large` for a statement beyond the limit. */
export async function* statementGroups(
  json: JsonFile,
  statements: JsonSlice,
  maxStatementBytes: number,
): AsyncGenerator<StatementGroup> {
  let members: JsonMember[] = [];
  for await (const member of json.members(statements)) {
    const { key, start, end } = member;
    if (end - start > maxStatementBytes) refuseSize(key, end - start, maxStatementBytes);
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

/** What came out for each statement of a group: its key has to be its id. */
export function checkGroup(
  { keys }: StatementGroup,
  identifications: readonly Identification[],
): (CheckedStatement | ManifestFault)[] {
  return identifications.map((result, at) => {
    const key = keys[at] ?? '';
    const pointer = jsonPointer(['statements', key]);
    if ('error' in result) return { place: placeOf(pointer, result.error), error: result.error };
    const { row } = result;
    const id = cidUrn(row.rdfcCid);
    return key === id ? { pointer, row } : { place: pointer, error: otherKey(id) };
  });
}

/** A fault inside of the statement is told at its place, if that is known. */
function placeOf(pointer: string, { details }: ServiceError): string {
  return pointer + (details?.[0]?.pointer ?? '');
}

function otherKey(id: string): ServiceError {
  return new ServiceError('id_mismatch', `The key of the statement is not its id, which is "${id}".`);
}

function refuseSize(key: string, size: number, limit: number): never {
  throw new ServiceError(
    'too_large',
    `At "${jsonPointer(['statements', key])}": the statement has ${size} bytes; ${limit} are accepted (CAIRN_MAX_STATEMENT_BYTES raises the limit).`,
  );
}

/** A fault as the refusal of the whole. */
export function refusalOf({ place, error }: ManifestFault): ServiceError {
  return new ServiceError(error.code, `At "${place}": ${error.message}`, {
    details: [{ code: error.code, pointer: place, reason: error.message }],
    cause: error,
  });
}
