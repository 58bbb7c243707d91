import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { reasonOf, shapeProblems } from '../../../json/shape-problems.ts';
import { jsonPointer } from '../../../json/strict-json.ts';
import { sha256Digest } from '../../identifiers/hashing.ts';
import { EvidenceProblem } from '../evidence.ts';

export const statementType = 'https://in-toto.io/Statement/v1';
export const signaturePredicate = 'https://model_signing/signature/v1.0';
/** Of version 0.2 of the reference implementation, whose subjects are the files. */
export const digestsPredicate = 'https://model_signing/Digests/v0.1';

/** The hash algorithms of the registry, with the length of their digests in hex. */
const modelHashes = { sha256: 64, blake2b: 128, blake3: 64 } as const;
type ModelHash = keyof typeof modelHashes;

/** How a model was turned into a list of digests (OMS 1.0, 5.2.2). */
interface Serialization {
  readonly hash: ModelHash;
  /** Null if each file has one digest. */
  readonly shardSize: number | null;
  readonly allowSymlinks: boolean;
  /** Relative to the model. */
  readonly ignorePaths: readonly string[];
}

/** What is signed of a model. */
export interface SignedModel {
  readonly name: string;
  /** SHA-256 of all digests, in hex. */
  readonly root: string;
  /** Whether it is of the earliest version. */
  readonly isEarliest: boolean;
  /** Digests in hex by the name of the file, or by `file:start:end` for shards. The file of a model that is one file is `.`. */
  readonly resources: ReadonlyMap<string, string>;
  readonly serialization: Serialization;
}

/** The file of a model that is one file. */
export const onlyFile = '.';
/** Excluded unless somebody asks for them (OMS 1.0, 6.2). */
export const gitPaths: readonly string[] = ['.git', '.gitattributes', '.github', '.gitignore'];

const text = z.string().min(1);
const hex = z.string().regex(/^[0-9a-f]+$/, 'must be lower-case hexadecimal digits');
const hash = z.enum(['sha256', 'blake2b', 'blake3']);

const predicateShape = z.object({
  resources: z.array(z.object({ name: text, digest: hex, algorithm: text })).min(1, 'must name a file'),
  serialization: z
    .object({
      method: z.enum(['files', 'shards']),
      hash_type: hash,
      shard_size: z.int().min(1).optional(),
      allow_symlinks: z.boolean(),
      ignore_paths: z.array(z.string()).optional(),
    })
    .refine(({ method, shard_size }) => (method === 'shards') === (shard_size !== undefined), {
      path: ['shard_size'],
      message: 'belongs to the method "shards", which needs it',
    }),
});

const statementShape = z.object({
  _type: z.literal(statementType),
  subject: z.tuple([z.object({ name: text, digest: z.object({ sha256: hex }) })]),
  predicateType: z.literal(signaturePredicate),
  predicate: predicateShape,
});

const earliestShape = z.object({
  _type: z.literal(statementType),
  subject: z.array(z.object({ name: text, digest: z.object({ sha256: hex }) })).min(1),
});

/**
 * Reads the in-toto statement of a model signature (OMS 1.0, 8.3).
 * @throws EvidenceProblem
 */
export function readSignedModel(statement: unknown): SignedModel {
  if (isObject(statement) && statement.predicateType === digestsPredicate) return readEarliest(statement);
  const { subject, predicate } = parsed(statementShape, statement);
  const { resources, serialization } = predicate;
  const { hash_type: hash, shard_size: shardSize = null } = serialization;
  const [model] = subject;
  const digests = new Map<string, string>();
  for (const [at, { name, digest, algorithm }] of resources.entries()) {
    const place = ['predicate', 'resources', at];
    // The reference implementation calls the hash of a shard by its size, too.
    if (algorithm !== hash && algorithm !== `${hash}-sharded-${shardSize}`)
      fail(`is ${shown(algorithm)}, but hash_type is "${hash}"`, ...place, 'algorithm');
    add(digests, { name, digest, place }, hash, shardSize !== null);
  }
  const root = rootDigest(resources.map(({ digest }) => digest));
  if (model.digest.sha256 !== root)
    fail(`is ${model.digest.sha256}, but the digests of the resources give ${root}`, 'subject', 0, 'digest');
  return {
    name: model.name,
    root,
    isEarliest: false,
    resources: digests,
    serialization: {
      hash,
      shardSize,
      allowSymlinks: serialization.allow_symlinks,
      ignorePaths: serialization.ignore_paths ?? [],
    },
  };
}

function readEarliest(statement: JsonObject): SignedModel {
  const { subject } = parsed(earliestShape, statement);
  const resources = new Map<string, string>();
  for (const [at, { name, digest }] of subject.entries())
    add(resources, { name, digest: digest.sha256, place: ['subject', at] }, 'sha256', false);
  const serialization = { hash: 'sha256', shardSize: null, allowSymlinks: false, ignorePaths: [] } as const;
  const root = rootDigest(sorted(resources).map(([, digest]) => digest));
  return { name: 'model', root, isEarliest: true, resources, serialization };
}

function add(
  resources: Map<string, string>,
  {
    name,
    digest,
    place,
  }: { readonly name: string; readonly digest: string; readonly place: readonly (string | number)[] },
  hash: ModelHash,
  isSharded: boolean,
): void {
  if (digest.length !== modelHashes[hash])
    fail(`has ${digest.length} digits; ${hash} has ${modelHashes[hash]}`, ...place, 'digest');
  const path = isSharded ? shardOf(name)?.path : name;
  if (path === undefined) fail(`is ${shown(name)}, but must end with ":start:end"`, ...place, 'name');
  if (!name.isWellFormed()) fail('has a lone surrogate', ...place, 'name');
  if (path !== onlyFile && path.split('/').some((part) => ['', '.', '..'].includes(part)))
    fail(`is ${shown(name)}, which is not a path within the model`, ...place, 'name');
  if (resources.has(name)) fail(`repeats ${shown(name)}`, ...place, 'name');
  resources.set(name, digest);
}

/** The parts of the name of a shard. File names may contain colons. */
export function shardOf(name: string): { path: string; start: number; end: number } | undefined {
  const [, path = '', start, end] = /^(.+):(\d{1,16}):(\d{1,16})$/s.exec(name) ?? [];
  return path === '' ? undefined : { path, start: Number(start), end: Number(end) };
}

/** The in-toto statement of a model, each file with its SHA-256 (OMS 1.0, 6.4 to 6.6). */
export function modelStatement({
  name,
  resources,
  serialization,
}: Pick<SignedModel, 'name' | 'resources' | 'serialization'>): JsonObject {
  const inOrder = sorted(resources);
  const { hash, allowSymlinks, ignorePaths } = serialization;
  return {
    _type: statementType,
    subject: [{ name, digest: { sha256: rootDigest(inOrder.map(([, digest]) => digest)) } }],
    predicateType: signaturePredicate,
    predicate: {
      resources: inOrder.map(([resource, digest]) => ({ name: resource, algorithm: hash, digest })),
      serialization: {
        method: 'files',
        hash_type: hash,
        allow_symlinks: allowSymlinks,
        ignore_paths: ignorePaths,
      },
    },
  };
}

/** OMS 1.0, 6.5.1. */
function rootDigest(digests: readonly string[]): string {
  return Buffer.from(sha256Digest(Buffer.from(digests.join(''), 'hex'))).toString('hex');
}

/** In the order of UTF-8 bytes, in which UTF-16 units are not. */
function sorted(resources: SignedModel['resources']): [string, string][] {
  return [...resources].sort(([one], [other]) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
}

/** @throws EvidenceProblem with the place of the first problem. */
export function parsed<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const [problem] = shapeProblems(shape, value);
  if (problem) throw new EvidenceProblem(`${problem.name || 'It'} ${reasonOf(problem)}.`, problem.pointer);
  return shape.parse(value);
}

/** @param path the steps to the place, such as `predicate`, `resources`, 0. */
function fail(reason: string, ...path: readonly (string | number)[]): never {
  const name = path.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');
  throw new EvidenceProblem(`${name.slice(1)} ${reason}.`, jsonPointer(path));
}

function shown(value: string): string {
  return JSON.stringify(value.slice(0, 120));
}
