import { basename } from 'node:path';
import { hashFiles } from '../../../workers/file-hash-pool.ts';
import {
  gitPaths,
  type SignedModel,
  shardOf,
} from '../../domain/integrity/evidence/model-signing/signed-model.ts';
import { type FoundModel, type ModelFile, modelFiles } from './model-files.ts';

/** How a model differs from what was signed. */
export interface ModelChanges {
  /** How many files are as they were signed. */
  readonly same: number;
  readonly changed: readonly string[];
  readonly missing: readonly string[];
  readonly added: readonly string[];
  /** Links that lead out of the model. */
  readonly outside: readonly string[];
}

export interface Verifying {
  /** The model, without links in its path. */
  readonly root: string;
  /** Beside those that the signature names. */
  readonly ignored: readonly string[];
  readonly ignoreGitPaths: boolean;
  readonly ignoreUnsigned: boolean;
  readonly allowSymlinks: boolean;
}

/** A part of a file, with the digest that was signed. */
interface Part {
  readonly start: number;
  readonly end: number;
  readonly digest: string;
}

/** Compares a model with what was signed (OMS 1.0, 8.4). */
export async function verifyModel(
  model: SignedModel,
  { root, ignored, ignoreGitPaths, ignoreUnsigned, allowSymlinks }: Verifying,
  onBytes: (count: number) => void,
): Promise<ModelChanges> {
  const { serialization } = model;
  const found = await modelFiles({
    root,
    ignored: [...ignored, ...serialization.ignorePaths, ...(ignoreGitPaths ? gitPaths : [])].map(trimmed),
    allowSymlinks: allowSymlinks || serialization.allowSymlinks,
  });
  const signed = signedParts(model, basename(root), found);
  const files = new Map(found.files.map((file) => [file.name, file]));
  const checks = [...signed].flatMap(([name, parts]) => {
    const file = files.get(name);
    return file ? [{ file, parts }] : [];
  });
  const changed = await changedFiles(checks, serialization, onBytes);
  const isEmptyShard = ({ size }: ModelFile) => serialization.shardSize !== null && size === 0;
  const added = found.files.filter((file) => !signed.has(file.name) && !isEmptyShard(file));
  const odd = found.odd.map(({ name, is }) => `${name} (${is})`);
  return {
    same: checks.length - changed.length,
    changed: changed.sort(),
    missing: [...signed.keys()].filter((name) => !files.has(name)).sort(),
    added: ignoreUnsigned ? [] : [...added.map(({ name }) => name), ...odd].sort(),
    outside: found.outside,
  };
}

/** The parts of each file, in order. A model of one file is named `.` or as the file. */
function signedParts({ resources, serialization }: SignedModel, fileName: string, found: FoundModel) {
  const isOneFile = found.files[0]?.name === '.';
  const parts = new Map<string, Part[]>();
  for (const [resource, digest] of resources) {
    const shard = serialization.shardSize === null ? undefined : shardOf(resource);
    const { path, start, end } = shard ?? { path: resource, start: 0, end: Number.POSITIVE_INFINITY };
    const name = isOneFile && path === fileName ? '.' : path;
    parts.set(name, [...(parts.get(name) ?? []), { start, end, digest }]);
  }
  for (const list of parts.values()) list.sort((one, other) => one.start - other.start);
  return parts;
}

async function changedFiles(
  checks: readonly { readonly file: ModelFile; readonly parts: readonly Part[] }[],
  { hash, shardSize }: SignedModel['serialization'],
  onBytes: (count: number) => void,
): Promise<string[]> {
  const isWhole = ({ file, parts }: (typeof checks)[number]) =>
    shardSize === null || areShardsOf(parts, file.size, shardSize);
  const compared = checks.filter(isWhole).flatMap(({ file, parts }) =>
    parts.map(({ start, end, digest }) => ({
      name: file.name,
      digest,
      part: { path: file.path, start, end: Math.min(end, file.size), algorithm: hash },
    })),
  );
  const digests = await hashFiles(
    compared.map(({ part }) => part),
    onBytes,
  );
  const different = compared.filter(({ digest }, at) => digests[at] !== digest).map(({ name }) => name);
  const resized = checks.filter((check) => !isWhole(check)).map(({ file }) => file.name);
  return [...new Set([...resized, ...different])];
}

/** Whether the parts are the shards of a file of that size (OMS 1.0, 6.3.2). */
function areShardsOf(parts: readonly Part[], size: number, shardSize: number): boolean {
  return (
    parts.length === Math.ceil(size / shardSize) &&
    parts.every(({ start, end }, at) => start === at * shardSize && end === Math.min(start + shardSize, size))
  );
}

function trimmed(path: string): string {
  return path.replace(/^(?:\.\/)+|\/+$/g, '');
}
