import { JsonCursor, type JsonMember, type JsonSlice } from './json-cursor.ts';
import type { RandomAccess } from './random-access.ts';

const windowBytes = 1 << 20;

/**
 * Finds the positions of members and elements in JSON that is too large for memory.
 * @throws ServiceError `invalid_json` with the position of the problem.
 */
export class JsonFile {
  readonly #file: RandomAccess;

  constructor(file: RandomAccess) {
    this.#file = file;
  }

  /** Members of the outermost object, with only white space around it. */
  outermost(): AsyncGenerator<JsonMember> {
    return this.#walk({ start: 0, end: this.#file.size }, (cursor) => cursor.outermost());
  }

  /** Members of an object in order, including repeated keys. */
  members(slice: JsonSlice): AsyncGenerator<JsonMember> {
    return this.#walk(slice, (cursor) => cursor.members());
  }

  elements(slice: JsonSlice): AsyncGenerator<JsonSlice> {
    return this.#walk(slice, (cursor) => cursor.elements());
  }

  async bytes({ start, end }: JsonSlice): Promise<Uint8Array> {
    return await this.#file.read(start, end - start);
  }

  async *#walk<Item extends JsonSlice>(
    slice: JsonSlice,
    begin: (cursor: JsonCursor) => Iterable<Item | number>,
  ): AsyncGenerator<Item> {
    const cursor = new JsonCursor(slice);
    for (const item of begin(cursor)) {
      if (typeof item === 'number')
        cursor.add(await this.#file.read(item, Math.min(windowBytes, slice.end - item)));
      else yield item;
    }
  }
}
