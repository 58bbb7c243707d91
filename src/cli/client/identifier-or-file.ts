import { resolve } from 'node:path';
import { ServiceError } from '../../domain/errors.ts';
import { type Cid, cidIn, cidOfDigest, cidUrn, codecs } from '../../domain/integrity/identifiers/cid.ts';
import { identifierIn, parseIdentifier } from '../../domain/integrity/identifiers/identifiers.ts';
import { failUsage } from '../terminal/failure.ts';
import type { Io } from '../terminal/io.ts';
import { printableLine, say } from '../terminal/output.ts';
import { openProgress } from '../terminal/progress.ts';
import { hashFolder } from './hash-folder.ts';
import { fileCid, pathKind } from './local-files.ts';

type Terminal = Pick<Io, 'cwd' | 'stderr'>;

/**
 * An identifier as statements write it, also of bytes with a digest. Other text names a file or a folder, which is hashed.
 * @throws Failure (usage) if there is no such file.
 */
export async function identifierOrFile(io: Terminal, text: string): Promise<string> {
  try {
    return parseIdentifier(text);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const cid = cidOfDigestIn(text) ?? (await cidOfPath(io, text));
    return cid
      ? cidUrn(cid)
      : failUnknown(text, `${error.message.replace(/\.$/, '')}, nor a file that exists.`);
  }
}

/** Like `identifierOrFile`, for CIDs only. */
export async function cidOrFile(io: Terminal, text: string): Promise<Cid> {
  const cid = cidIn(text) ?? cidOfDigestIn(text) ?? (await cidOfPath(io, text));
  return cid ?? failUnknown(text, `"${text.slice(0, 120)}" is neither a CID nor a file that exists.`);
}

/** Whether a text can only name a file or a folder. */
export function isPath(text: string): boolean {
  return identifierIn(text) === undefined && cidOfDigestIn(text) === undefined;
}

/** The CID of a digest, also behind the name of an image (`registry/name@sha256:…`). */
function cidOfDigestIn(text: string): Cid | undefined {
  const [, hash, hex = ''] = /^(?:\S+@)?(sha256|blake3):([0-9a-f]{64})$/i.exec(text) ?? [];
  if (hash === undefined) return undefined;
  return cidOfDigest(hash.toLowerCase() === 'blake3' ? 'blake3' : 'sha256', Buffer.from(hex, 'hex'));
}

function failUnknown(text: string, problem: string): never {
  // As tables and trees print identifiers.
  if (/^[a-z][\w:-]*…\w+$/i.test(text))
    failUsage(`"${text}" is shortened. Give the whole identifier, which "cairn search" and --json print.`);
  failUsage(`${problem} "cairn search" finds identifiers by their names.`);
}

/** The CID that `cairn put` gives a file or folder, without storing it; undefined if there is none. */
export async function cidOfPath(io: Terminal, text: string): Promise<Cid | undefined> {
  if (text === '') return undefined;
  const path = resolve(io.cwd, text);
  const kind = await pathKind(path);
  if (!kind) return undefined;
  if (kind === 'stream') failUsage(`${text} can be read only once. Name a file.`);
  const cid = await hashed(io, path, kind);
  say(io, `${printableLine(text)} is ${cidUrn(cid)}`);
  return cid;
}

async function hashed(io: Terminal, path: string, kind: 'file' | 'folder'): Promise<Cid> {
  using progress = openProgress(io, { total: undefined });
  let done = 0;
  const onBytes = (count: number) => {
    done += count;
    progress.update(done, `${(done / 2 ** 20).toFixed(0)} MiB hashed`);
  };
  if (kind === 'file') return (await fileCid(path, { codec: codecs.raw, multihash: 'blake3' }, onBytes)).cid;
  const onSkipped = (name: string, why: string) => progress.log(`Skipped ${name}: ${why}.`);
  return (await hashFolder(path, { onBytes, onSkipped })).collection;
}
