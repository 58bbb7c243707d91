import { ServiceError } from '../errors.ts';
import { JsonCursor, type JsonSlice } from './json-cursor.ts';
import { isSpace, openBrace, openBracket } from './strict-json.ts';

/** A member whose single value is cut out, or the elements of its array. */
export type EnvelopePart =
  | { readonly member: string; readonly as: 'value' }
  | {
      readonly member: string;
      readonly as: 'elements';
      readonly maxElements: number;
      /** The setting that raises `maxElements`. */
      readonly setting: string;
    };

export interface SplitEnvelope {
  /** The body in which `null` or an empty array replaces the chosen member. */
  readonly envelope: Uint8Array;
  /** Start and end of each element, in pairs. */
  readonly ranges: readonly number[];
}

/** The most bytes of an envelope. They are parsed on the main thread. */
export const envelopeLimit = 1 << 16;

/**
 * Finds the elements of one member of the outermost object without parsing them, so that their bytes can be sent to
 * other threads. A body without the member is returned as it is, without ranges.
 * @throws ServiceError `invalid_json` with the position of the problem, `too_large` for too many elements or too large
 *   an envelope.
 */
export function splitEnvelope(body: Uint8Array, part: EnvelopePart): SplitEnvelope {
  const { member, as } = part;
  const found = findMember(body, member);
  const isArray = found !== undefined && body[found.start] === openBracket;
  if (!found || (as === 'elements' && !isArray)) return { envelope: small(body, member), ranges: [] };
  const ranges: number[] = [];
  for (const { start, end } of as === 'value' ? [found] : inMemory(cursorOf(body, found).elements())) {
    if (part.as === 'elements' && ranges.length === part.maxElements * 2) throwTooMany(part);
    ranges.push(start, end);
  }
  const hole = Buffer.from(as === 'value' ? 'null' : '[]');
  const envelope = Buffer.concat([body.subarray(0, found.start), hole, body.subarray(found.end)]);
  return { envelope: small(envelope, member), ranges };
}

/**
 * The elements of a body that is an array, without parsing them.
 * @throws ServiceError `invalid_json` if it is none, `too_large` for too many elements.
 */
export function arrayElements(
  body: Uint8Array,
  { maxElements, setting }: { readonly maxElements: number; readonly setting: string },
): Uint8Array[] {
  const elements: Uint8Array[] = [];
  const whole = { start: 0, end: body.length };
  for (const { start, end } of inMemory(cursorOf(body, whole).outermostElements())) {
    if (elements.length === maxElements) throwTooMany({ member: 'the array', maxElements, setting });
    elements.push(body.subarray(start, end));
  }
  return elements;
}

function small(envelope: Uint8Array, member: string): Uint8Array {
  if (envelope.length <= envelopeLimit) return envelope;
  const message = `The members beside "${member}" have ${envelope.length} bytes. The limit is ${envelopeLimit}.`;
  throw new ServiceError('too_large', message);
}

function throwTooMany({
  member,
  maxElements,
  setting,
}: Omit<Extract<EnvelopePart, { as: 'elements' }>, 'as'>): never {
  const message = `"${member}" has more than ${maxElements} elements (${setting} raises the limit).`;
  throw new ServiceError('too_large', message);
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
