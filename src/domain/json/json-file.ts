import { JsonCursor, type JsonMember, type JsonSlice } from './json-cursor.ts';
import type { RandomAccess } from './random-access.ts';

const windowBytes = 1 << 20;

/**
 * JSON that is too large for memory: tells where the members of an object, or the elements of an array, stand.
 * @throws ServiceError `invalid_json` with the position of the problem.
 */
export class JsonFile {
  readonly #file: RandomAccess;

  constructor(file: RandomAccess) {
    this.#file = file;
  }

  /** Members of the object that the whole is, with nothing but space around it. */
  outermost(): AsyncGenerator<JsonMember> {
    return this.#walk({ start: 0, end: this.#file.size }, (cursor) => cursor.outermost());
  }

  /** Members of an object, in their order, whatever their keys. */
  members(slice: JsonSlice): AsyncGenerator<JsonMember> {
    return this.#walk(slice, (cursor) => cursor.members());
  }

  /** Elements of an array, in their order. */
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
