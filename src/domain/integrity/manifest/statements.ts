import type { JsonMember, JsonSlice } from '../../json/json-cursor.ts';
import type { JsonFile } from '../../json/json-file.ts';
import { cidUrn } from '../identifiers/cid.ts';
import type { Identification, IdentifiedRow } from '../ports.ts';
import { type Checked, failAt, placeIn, problem, problemWithin } from './problem.ts';

/** A statement of a manifest with a verified id. */
export interface CheckedStatement {
  /** RFC 6901 pointer into the manifest. */
  readonly pointer: string;
  readonly row: IdentifiedRow;
}

export interface StatementGroup {
  readonly keys: readonly string[];
  readonly body: Uint8Array;
  /** Start and end of each statement in `body`, in pairs. */
  readonly ranges: readonly number[];
}

const groupStatements = 500;
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
export function checkGroup(
  { keys }: StatementGroup,
  identifications: readonly Identification[],
): Checked<CheckedStatement>[] {
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
