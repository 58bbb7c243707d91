import { fromBase64, toBase64 } from '../../base64.ts';
import { hashSize } from '../merkle/hashing.ts';
import { quoted, refuse } from '../proof-error.ts';
import { type Checkpoint, parseCheckpoint, parseCount } from './checkpoint.ts';
import { type VerifiedSignature, verifyNote } from './cosignature.ts';
import { isMet, type Policy } from './policy.ts';
import { parseNote, textOf } from './signed-note.ts';
import type { Vkey } from './vkey.ts';

/** A proof that a log has an entry (c2sp.org/tlog-proof). */
export interface TlogProof {
  /** Nobody has signed it. */
  readonly extra: Uint8Array | null;
  readonly index: number;
  readonly path: readonly Uint8Array[];
  /** The signed note. */
  readonly checkpoint: string;
}

const firstLine = 'c2sp.org/tlog-proof@v1';
const mostBytes = 65_536;
const mostExtraBytes = 32_768;
/** A tree of 2^53 entries has no longer path. */
const mostHashes = 53;

/** @throws LogProofError `malformed`, `too_large`, `wrong_size` */
export function parseTlogProof(input: Uint8Array | string): TlogProof {
  const text = textOf(input, mostBytes);
  const end = text.indexOf('\n\n');
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n');
  if (first !== firstLine)
    return refuse(
      'malformed',
      `A proof starts with the line "${firstLine}" and has an empty line before its checkpoint.`,
    );
  const extra = lines[0]?.startsWith('extra ') ? extraOf(lines.shift() ?? '') : null;
  const index = lines.shift() ?? '';
  if (!index.startsWith('index '))
    refuse('malformed', `${quoted(index)} must be the line "index" with a number.`);
  if (lines.length > mostHashes) refuse('too_large', `The proof has more than ${mostHashes} hashes.`);
  return {
    extra,
    index: parseCount(index.slice('index '.length), 'index'),
    path: lines.map(hashOf),
    checkpoint: text.slice(end + 2),
  };
}

function extraOf(line: string): Uint8Array {
  const bytes = fromBase64(line.slice('extra '.length));
  if (bytes === undefined) return refuse('malformed', 'The extra line is not base64.');
  if (bytes.length > mostExtraBytes)
    refuse('too_large', `The extra line has more than ${mostExtraBytes} bytes.`);
  return bytes;
}

function hashOf(line: string): Uint8Array {
  const hash = fromBase64(line);
  return hash?.length === hashSize
    ? hash
    : refuse('malformed', `${quoted(line)} is no hash, which is ${hashSize} bytes in base64.`);
}

export function formatTlogProof({ extra, index, path, checkpoint }: TlogProof): string {
  const extraLines = extra === null ? [] : [`extra ${toBase64(extra)}`];
  return [firstLine, ...extraLines, `index ${index}`, ...path.map(toBase64), '', checkpoint].join('\n');
}

/** What a verifier trusts: these logs and those of the policy. */
export interface LogTrust {
  readonly logs: readonly Vkey[];
  readonly policy: Policy;
}

export interface Cosigner {
  /** The name of the key of the witness. */
  readonly name: string;
  /** Unix time in seconds by its clock. */
  readonly at: number;
}

export interface VerifiedCheckpoint {
  readonly checkpoint: Checkpoint;
  /** The witnesses of the policy that have signed, the earliest first. */
  readonly witnesses: readonly Cosigner[];
  /** When the policy was met by the clocks of its witnesses, in Unix seconds. Null if it needs no witness. */
  readonly at: number | null;
}

/** @throws LogProofError `malformed`, `too_large`, `unknown_log`, `unknown_key`, `wrong_signature`, `policy_not_met` */
export function verifyCheckpoint(input: Uint8Array | string, { logs, policy }: LogTrust): VerifiedCheckpoint {
  const note = parseNote(input);
  const checkpoint = parseCheckpoint(note.text);
  const known = [...logs, ...policy.logs.map(({ vkey }) => vkey)];
  const keys = known.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) {
    const names = [...new Set(known.map(({ name }) => name))].join(', ');
    refuse(
      'unknown_log',
      `The checkpoint is of the log ${quoted(checkpoint.origin)}. Known is ${names || 'no log'}.`,
    );
  }
  const signatures = verifyNote(note, [...keys, ...policy.witnesses.map(({ vkey }) => vkey)]);
  if (!signatures.some(({ vkey }) => keys.includes(vkey)))
    refuse('unknown_key', `No known key of the log ${quoted(checkpoint.origin)} has signed the checkpoint.`);
  const cosignatures = signatures
    .filter((signature): signature is Timed => signature.at !== null && !keys.includes(signature.vkey))
    .toSorted((one, other) => one.at - other.at);
  return { checkpoint, witnesses: cosignersOf(cosignatures), at: timeOf(policy, cosignatures) };
}

type Timed = VerifiedSignature & { readonly at: number };

/** A witness that has signed twice is one witness. */
function cosignersOf(cosignatures: readonly Timed[]): Cosigner[] {
  const earliest = new Map(cosignatures.toReversed().map(({ vkey, at }) => [vkey, { name: vkey.name, at }]));
  return [...earliest.values()].toReversed();
}

function timeOf(policy: Policy, cosignatures: readonly Timed[]): number | null {
  const cosigners: Vkey[] = [];
  if (isMet(policy, cosigners)) return null;
  for (const { vkey, at } of cosignatures) {
    cosigners.push(vkey);
    if (isMet(policy, cosigners)) return at;
  }
  const names = cosigners.map(({ name }) => name).join(', ') || 'no witness of the policy';
  return refuse(
    'policy_not_met',
    `The quorum of the policy is not met. The checkpoint is cosigned by ${names}.`,
  );
}
