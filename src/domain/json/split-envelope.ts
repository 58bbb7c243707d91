import { JsonCursor, type JsonSlice } from './json-cursor.ts';
import { isSpace, openBrace, openBracket } from './json-shape.ts';

export interface SplitEnvelope {
  /** The body in which `null` or an empty array replaces the chosen member. */
  readonly envelope: Uint8Array;
  /** Start and end of each element, in pairs. A single value counts as one element. */
  readonly ranges: readonly number[];
}

/**
 * Finds the elements of one member of the outermost object without parsing them, so that their bytes can be sent to
 * other threads. A body without the member is returned as it is, without ranges.
 * @throws ServiceError `invalid_json` with the position of the problem.
 */
export function splitEnvelope(body: Uint8Array, member: string, as: 'elements' | 'value'): SplitEnvelope {
  const found = findMember(body, member);
  const isArray = found !== undefined && body[found.start] === openBracket;
  if (!found || (as === 'elements' && !isArray)) return { envelope: body, ranges: [] };
  const slices = as === 'value' ? [found] : inMemory(cursorOf(body, found).elements());
  const hole = Buffer.from(as === 'value' ? 'null' : '[]');
  return {
    envelope: Buffer.concat([body.subarray(0, found.start), hole, body.subarray(found.end)]),
    ranges: [...slices].flatMap(({ start, end }) => [start, end]),
  };
}

function findMember(body: Uint8Array, member: string): JsonSlice | undefined {
  if (body.find((byte) => !isSpace(byte)) !== openBrace) return undefined;
  for (const found of inMemory(cursorOf(body, { start: 0, end: body.length }).members()))
    if (found.key === member) return found;
  return undefined;
}

function cursorOf(body: Uint8Array, slice: JsonSlice): JsonCursor {
  return new JsonCursor(slice, body.subarray(slice.start, slice.end));
}

/** The walk never asks for bytes, because all of them are there. */
function* inMemory<Item extends JsonSlice>(walk: Iterable<Item | number>): Generator<Item> {
  for (const item of walk) if (typeof item !== 'number') yield item;
}
