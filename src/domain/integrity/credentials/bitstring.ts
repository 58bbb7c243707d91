import { ServiceError } from '../../errors.ts';
import { listLength } from './status-entries.ts';

/** The longest list that is read: 128 times the minimum, 2 MiB of bits. */
const mostBytes = (listLength / 8) * 128;
const multibase = /^u(?:[\w-]{4})*(?:[\w-]{2,3})?$/;

/** The encoded list of Bitstring Status List 1.0, section 3.3. Index 0 is the leftmost bit. */
export async function encodeBitstring(indexes: Iterable<number>): Promise<string> {
  const bits = new Uint8Array(listLength / 8);
  for (const index of indexes) {
    if (index >= listLength) throw new RangeError(`The index ${index} is outside the list.`);
    bits[index >> 3] = (bits[index >> 3] ?? 0) | (0x80 >> (index & 7));
  }
  const zipped = new Response(new Blob([bits]).stream().pipeThrough(new CompressionStream('gzip')));
  return `u${Buffer.from(await zipped.arrayBuffer()).toString('base64url')}`;
}

/** The bits of an encoded list. */
export class Bitstring {
  readonly #bits: Uint8Array;

  private constructor(bits: Uint8Array) {
    this.#bits = bits;
  }

  /**
   * Memory stays bounded, whatever the text unpacks to.
   * @throws ServiceError `invalid_request` if the text is no list, or a list that is too short or too long.
   */
  static async decode(encoded: string): Promise<Bitstring> {
    if (!multibase.test(encoded))
      fail('encodedList must be the letter u, followed by base64url without padding (multibase)');
    const bits = await unzipped(Buffer.from(encoded.slice(1), 'base64url'));
    if (bits.length * 8 < listLength)
      fail(`The list has ${bits.length * 8} entries. The minimum is ${listLength}`);
    return new Bitstring(bits);
  }

  get length(): number {
    return this.#bits.length * 8;
  }

  /** @throws ServiceError `invalid_request` if the index is outside the list. */
  get(index: number): boolean {
    const byte = this.#bits[Math.floor(index / 8)];
    if (byte === undefined || index < 0)
      fail(`The index ${index} is outside the list, which has ${this.length} entries`);
    return (byte & (0x80 >> (index & 7))) !== 0;
  }

  *indexes(): Generator<number> {
    for (const [at, byte] of this.#bits.entries()) {
      for (let bit = 0; byte !== 0 && bit < 8; bit += 1) if (byte & (0x80 >> bit)) yield at * 8 + bit;
    }
  }
}

async function unzipped(bytes: Uint8Array<ArrayBuffer>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  try {
    for await (const chunk of new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'))) {
      size += chunk.length;
      if (size > mostBytes) break;
      chunks.push(chunk);
    }
  } catch (cause) {
    throw new ServiceError('invalid_request', 'encodedList is not a GZIP file.', { cause });
  }
  if (size > mostBytes) fail(`The list has more than ${mostBytes * 8} entries, which is the limit`);
  return Buffer.concat(chunks);
}

function fail(reason: string): never {
  throw new ServiceError('invalid_request', `${reason}.`);
}
