import { EvidenceProblem } from './evidence.ts';

/** By algorithm without its hyphens: the name of the digest, and its length in hex. */
const algorithms: Readonly<Record<string, readonly [string, number]>> = {
  md5: ['md5', 32],
  sha1: ['sha1', 40],
  sha224: ['sha224', 56],
  sha256: ['sha256', 64],
  sha384: ['sha384', 96],
  sha512: ['sha512', 128],
  sha3224: ['sha3_224', 56],
  sha3256: ['sha3_256', 64],
  sha3384: ['sha3_384', 96],
  sha3512: ['sha3_512', 128],
  blake2b256: ['blake2b_256', 64],
  blake2b384: ['blake2b_384', 96],
  blake2b512: ['blake2b', 128],
  streebog256: ['streebog_256', 64],
  streebog512: ['streebog_512', 128],
};

const blake3Length = 64;
/** The length in hex of the digests that evidence names. */
export const digestLengths: ReadonlyMap<string, number> = new Map([
  ...Object.values(algorithms),
  ['blake3', blake3Length],
]);
const hex = /^[0-9a-f]*$/i;

export function isHex(text: string, length: number): boolean {
  return text.length === length && hex.test(text);
}

export interface Hash {
  readonly algorithm: string;
  readonly value: string;
}

/**
 * Digests by the names that evidence uses. Left out are algorithms that tell no bytes apart, such as ADLER32, and BLAKE3 of
 * another length than 256 bits, which is no CID.
 * @param place of the list, as a JSON pointer.
 * @throws EvidenceProblem for a digest of the wrong length, which could not be of any bytes.
 */
export function digestsOf(hashes: readonly Hash[], place: string): Record<string, string> {
  const digests: Record<string, string> = {};
  for (const [at, { algorithm, value }] of hashes.entries()) {
    const bare = algorithm.toLowerCase().replaceAll(/[-_]/g, '');
    const [name, length = 0] = algorithms[bare] ?? [];
    if (name !== undefined && !isHex(value, length)) {
      const problem = `"${value.slice(0, 200)}" is no ${algorithm} digest, which has ${length} hexadecimal digits.`;
      throw new EvidenceProblem(problem, `${place}/${at}`);
    }
    const isBlake3 = bare === 'blake3' && isHex(value, blake3Length);
    if (name !== undefined || isBlake3) digests[name ?? 'blake3'] = value.toLowerCase();
  }
  return digests;
}

const gitBlob = /^(?:swh:1:cnt:|gitoid:blob:sha1:)([0-9a-f]{40})$/;

/** The digest in a SoftWare Hash IDentifier or an OmniBOR identifier of a file. */
export function contentDigests(identifiers: readonly string[]): Record<string, string> {
  const [digest] = identifiers.flatMap((identifier) => gitBlob.exec(identifier)?.[1] ?? []);
  return digest === undefined ? {} : { gitBlob: digest };
}
