import { base32 } from 'multiformats/bases/base32';
import { CID } from 'multiformats/cid';
import * as digests from 'multiformats/hashes/digest';
import { ServiceError } from '../../errors.ts';
import { blake3Digest, type MultihashName, multihashes } from './hashing.ts';

/** Multicodec codes (vocabulary, identifiers). */
export const codecs = { raw: 0x55, hashSequence: 0x80, rdfc: 0xb403, jcs: 0xb601, dagCbor: 0x71 } as const;

const digestLength = 32;
const headsKept = 100;
const urn = 'urn:cid:';

/** A checked CID: CIDv1, lower-case base32, BLAKE3-256 or SHA2-256. `text` is its canonical form without `urn:cid:`. */
export interface Cid {
  readonly text: string;
  readonly codec: number;
  readonly multihash: MultihashName;
  readonly digest: Uint8Array;
}

/** @throws ServiceError `invalid_cid`. */
export function parseCid(input: string): Cid {
  const text = input.startsWith(urn) ? input.slice(urn.length) : input;
  const known = knownCid(text);
  if (known) return known;
  let cid: CID;
  try {
    cid = CID.parse(text);
  } catch (cause) {
    throw new ServiceError('invalid_cid', `"${excerpt(input)}" is not a CID.`, { cause });
  }
  return checked(cid, text, input);
}

/** Rules out most other texts without decoding them. */
const looksLikeCid = /^(?:urn:cid:)?b[a-z2-7]{50,}$/;

/** Matches raw CIDs, which most references are, without decoding them. */
const rawCid = /^(?:urn:cid:)?bafkr(?:4i|ei)[a-h][a-z2-7]{50}[aeimquy4]$/;

/** Parses a CID, bare or after `urn:cid:`; undefined if the text is not a CID. */
export function cidIn(input: string): Cid | undefined {
  if (!looksLikeCid.test(input)) return undefined;
  try {
    return parseCid(input);
  } catch {
    return undefined;
  }
}

export function isCid(input: string): boolean {
  return rawCid.test(input) || cidIn(input) !== undefined;
}

/**
 * Checks a CID that a library has decoded. Version 0 becomes version 1 of the same bytes.
 * @throws ServiceError `invalid_cid`.
 */
export function cidFrom(cid: CID): Cid {
  const text = cid.toV1().toString(base32);
  return checked(cid.toV1(), text, text);
}

/** What the library makes of canonical CIDs of our codecs, several times as fast. */
function knownCid(text: string): Cid | undefined {
  const bytes = base32Bytes(text);
  const headLength = (bytes?.length ?? 0) - digestLength;
  if (!bytes || headLength < 0 || headLength > longestHead) return undefined;
  const known = knownHeads().get(headNumber(bytes, headLength));
  return known && { text, ...known, digest: bytes.slice(headLength) };
}

const longestHead = 6;
let headsByNumber: Map<number, Pick<Cid, 'codec' | 'multihash'>> | undefined;

/** What the heads of CIDs of our codecs say. */
function knownHeads() {
  headsByNumber ??= new Map(
    (['blake3', 'sha2-256'] as const).flatMap((multihash) =>
      Object.values(codecs).map((codec) => {
        const head = cidHead(codec, multihash);
        return [headNumber(head, head.length), { codec, multihash }] as const;
      }),
    ),
  );
  return headsByNumber;
}

/** Heads begin with the version 1, so that their lengths follow from their numbers. */
function headNumber(bytes: Uint8Array, length: number): number {
  let number = 0;
  for (let at = 0; at < length; at += 1) number = number * 256 + (bytes[at] as number);
  return number;
}

function checked(cid: CID, text: string, input: string): Cid {
  // Encoded again, because `toString` of a parsed CID returns its input.
  if (cid.version !== 1 || base32.encode(cid.bytes) !== text) {
    fail(input, 'it must be a CIDv1 in lower-case base32, without padding or surplus characters');
  }
  const multihash = multihashName(cid.multihash.code);
  if (multihash === undefined) {
    fail(input, `its hash function 0x${cid.multihash.code.toString(16)} is neither BLAKE3 nor SHA2-256`);
  }
  if (cid.multihash.digest.length !== digestLength) {
    fail(input, `its hash has ${cid.multihash.digest.length} bytes instead of ${digestLength}`);
  }
  return { text, codec: cid.code, multihash, digest: cid.multihash.digest };
}

function fail(input: string, reason: string): never {
  throw new ServiceError('invalid_cid', `"${excerpt(input)}" is not accepted as a CID: ${reason}.`);
}

function excerpt(input: string): string {
  return input.length > 120 ? `${input.slice(0, 120)}…` : input;
}

export function multihashName(code: number): MultihashName | undefined {
  if (code === multihashes.blake3) return 'blake3';
  if (code === multihashes['sha2-256']) return 'sha2-256';
  return undefined;
}

export function makeCid(codec: number, digest: Uint8Array, multihash: MultihashName = 'blake3'): Cid {
  const head = cidHead(codec, multihash);
  const bytes = new Uint8Array(head.length + digest.length);
  bytes.set(head);
  bytes.set(digest, head.length);
  return { text: base32Text(bytes), codec, multihash, digest };
}

const base32Digits = Buffer.from('abcdefghijklmnopqrstuvwxyz234567');
const digitBits = 5;

/** The text of `base32.encode`, three times as fast, because it does not add single characters to a string. */
function base32Text(bytes: Uint8Array): string {
  const text = Buffer.allocUnsafe(1 + Math.ceil((8 * bytes.length) / digitBits));
  text[0] = base32.prefix.charCodeAt(0);
  let [end, bits, value] = [1, 0, 0];
  for (const byte of bytes) {
    value = (value << 8) | byte;
    for (bits += 8; bits >= digitBits; bits -= digitBits)
      text[end++] = base32Digits[(value >> (bits - digitBits)) & 31] as number;
  }
  if (bits > 0) text[end] = base32Digits[(value << (digitBits - bits)) & 31] as number;
  return text.toString('latin1');
}

const base32Values = new Uint8Array(128).fill(255);
for (const [value, digit] of base32Digits.entries()) base32Values[digit] = value;

/** What `base32Text` made the text of; undefined for other texts. */
function base32Bytes(text: string): Uint8Array | undefined {
  if (text.charCodeAt(0) !== base32.prefix.charCodeAt(0)) return undefined;
  const bytes = new Uint8Array(((text.length - 1) * digitBits) >> 3);
  let [end, bits, value] = [0, 0, 0];
  for (let at = 1; at < text.length; at += 1) {
    const digit = base32Values[text.charCodeAt(at)] ?? 255;
    if (digit === 255) return undefined;
    value = ((value << digitBits) | digit) & 0xffff;
    bits += digitBits;
    if (bits < 8) continue;
    bits -= 8;
    bytes[end++] = (value >> bits) & 255;
  }
  const isCanonical = bits < digitBits && (value & ((1 << bits) - 1)) === 0;
  return isCanonical ? bytes : undefined;
}

const heads = { blake3: new Map<number, Uint8Array>(), 'sha2-256': new Map<number, Uint8Array>() };

/** The bytes before the digest in a binary CIDv1. */
function cidHead(codec: number, multihash: MultihashName): Uint8Array {
  const known = heads[multihash];
  let head = known.get(codec);
  if (!head) {
    const digest = digests.create(multihashes[multihash], new Uint8Array(digestLength));
    head = CID.createV1(codec, digest).bytes.slice(0, -digestLength);
    if (known.size < headsKept) known.set(codec, head);
  }
  return head;
}

/** The BLAKE3 CID of bytes in memory. */
export function cidOf(codec: number, bytes: Uint8Array | string): Cid {
  return makeCid(codec, blake3Digest(bytes));
}

/** The raw CID of bytes with a digest. */
export function cidOfDigest(hash: 'blake3' | 'sha256', digest: Uint8Array): Cid {
  return makeCid(codecs.raw, digest, hash === 'blake3' ? 'blake3' : 'sha2-256');
}

/** Whether a CID can be one of the two CIDs of a statement. */
export function isStatementCid(cid: Cid, codec: (typeof codecs)['jcs' | 'rdfc']): boolean {
  return cid.codec === codec && cid.multihash === 'blake3';
}

/** The identifiers of the same bytes under any codec, because statements can refer to them under each. */
export function urnsOfBytes({ text, digest, multihash }: Cid): string[] {
  const others = Object.values(codecs).map((codec) => makeCid(codec, digest, multihash).text);
  return [...new Set([text, ...others])].map(cidUrn);
}

/** The form of CIDs in JSON documents. */
export function cidUrn(cid: Cid | string): string {
  return urn + (typeof cid === 'string' ? cid : cid.text);
}

export function digestHex(cid: Pick<Cid, 'digest'>): string {
  return Buffer.from(cid.digest).toString('hex');
}

/** The first characters of the ids of statements, which encode the codec and the hash function. */
export const statementStart = cidUrn(makeCid(codecs.rdfc, new Uint8Array(digestLength))).slice(
  0,
  `${urn}b`.length + 9,
);
