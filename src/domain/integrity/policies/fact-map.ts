import { type CelInput, type CelMap, type CelValue, celMap, isCelMap } from '@bufbuild/cel';
import type { Missing } from './watching/doubts.ts';
import { noteMissing, noteUnknown } from './watching/watch.ts';

/** Whether a fact or a JSON object has a member. @throws if nobody knows. */
export function hasField(of: CelValue, field: string): boolean {
  if (!isCelMap(of)) return false;
  const isPresent = presence.get(of);
  return isPresent ? isPresent(field) : of.has(field);
}

const presence = new WeakMap<CelMap, (field: string) => boolean>();

/** A fact for a condition: `fields` reads its fields, and `has` says whether they are there. */
export function factMap(fields: ReadonlyMap<string, CelInput>, has: (field: string) => boolean): CelMap {
  const map = celMap(fields);
  presence.set(map, has);
  return map;
}

/**
 * JSON as CEL has it, and where it stands. Numbers are doubles, which are equal to integers of the same value.
 * @param isCut whether an object may have more members.
 */
export function json(value: unknown, place: Missing, isCut = false): CelInput {
  if (Array.isArray(value)) return value.map((one) => json(one, place));
  if (typeof value !== 'object' || value === null) return (value ?? null) as CelInput;
  const members = new Members(value, place, isCut);
  return factMap(members, (name) => members.says(name));
}

/** The members of a JSON object. Those that a condition looks for in vain are noted by their path. */
class Members extends Map<string, CelInput> {
  readonly #place: Missing;
  readonly #isCut: boolean;

  constructor(object: object, place: Missing, isCut: boolean) {
    super(Object.entries(object).map(([name, one]) => [name, json(one, memberOf(place, name))]));
    this.#place = place;
    this.#isCut = isCut;
  }

  override get(name: string): CelInput | undefined {
    const value = super.get(name);
    if (value !== undefined) return value;
    this.#mayBeCut(name);
    noteUnknown({ code: 'not_said', ...memberOf(this.#place, name) });
    return undefined;
  }

  says(name: string): boolean {
    if (super.has(name)) return true;
    this.#mayBeCut(name);
    noteMissing(memberOf(this.#place, name));
    return false;
  }

  /** @throws if nobody knows whether there is such a member. */
  #mayBeCut(name: string): void {
    if (!this.#isCut) return;
    noteUnknown({ code: 'bytes_missing', ...memberOf(this.#place, name) });
    throw new RangeError('unknown');
  }
}

function memberOf({ fact, ...place }: Missing, name: string): Missing {
  return { fact: `${fact}.${name}`, ...place };
}
