import { LRUCache } from 'lru-cache';
import { ServiceError } from '../src/domain/errors.ts';
import { ContextWorld, worldLimit } from '../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../src/domain/integrity/identification/identify.ts';
import { canonicalJson } from '../src/domain/integrity/identification/jcs.ts';
import { MissingContexts, toRdf, unknownContext } from '../src/domain/integrity/identification/json-ld.ts';
import { serializeNQuads } from '../src/domain/integrity/identification/rdfc.ts';
import { sha256Digest } from '../src/domain/integrity/identifiers/hashing.ts';
import type { JsonObject } from '../src/domain/json/is-object.ts';
import { splitEnvelope } from '../src/domain/json/split-envelope.ts';
import { parseStrictJson } from '../src/domain/json/strict-json.ts';
import { packError, ResultPacker } from './packing.ts';
import type { Answer, IdentifyWork, NQuadsWork, TaskBase, ThreadSettings, Work } from './protocol.ts';

/** Enough for every test vector of RDFC-1.0. Time limits stop hostile graphs. */
const workFactor = 3;

/** A task without what Node.js needs for watching it. */
export type UnwatchedTask = Work & Omit<TaskBase, 'cells'>;

let trusted = new StatementIdentifier(ContextWorld.bundled());
/** Worlds other than the trusted one. Entries never go stale, because the same id means the same documents. */
const closedWorlds = new LRUCache<string, StatementIdentifier>({
  max: 32,
  maxSize: worldLimit,
  sizeCalculation: ({ world }) => world.weight + 1,
});

/**
 * Does the work of one task in this thread. Results of statements are in memory that can be moved.
 * @param beginDocument called before each document.
 */
export async function answerTo(
  task: UnwatchedTask,
  settings: ThreadSettings,
  beginDocument: () => void,
): Promise<Answer> {
  trusted = trusted.within(worldLimit);
  const turn = {
    limits: { workFactor, cpuMs: settings.documentMs },
    maxDepth: settings.maxDepth,
    beginDocument,
  };
  try {
    const { world } = identifierOf(task);
    for (const document of task.documents) world.add(document);
    if (task.kind === 'identify') return await identify(task, turn);
    if (task.kind === 'nquads')
      return task.digests
        ? { digests: await eachDocument(task, turn, sha256Digest) }
        : { nquads: await eachDocument(task, turn, (text) => text) };
    beginDocument();
    if (task.kind === 'split') return splitEnvelope(new Uint8Array(task.body), task.part);
    if (task.kind === 'jcs') return canonicalJson(new Uint8Array(task.body), settings.maxDepth);
    const { '@id': _, ...document } = JSON.parse(Buffer.from(task.statement).toString());
    return { nquads: [await identifierOf(task).nquads(document, turn.limits)] };
  } catch (error) {
    if (!(error instanceof MissingContexts)) return { error: packError(error) };
    return task.isLastTry ? { error: packError(unknownContext(error)) } : { needs: error.urls };
  }
}

interface Turn {
  readonly limits: { readonly workFactor: number; readonly cpuMs: number };
  readonly maxDepth: number;
  readonly beginDocument: () => void;
}

/** The documents of a closed world come first, so trusted documents do not replace them. */
function identifierOf(task: UnwatchedTask): StatementIdentifier {
  if (!('world' in task) || !task.world) return trusted;
  const { id, documents, isStored = false } = task.world;
  const key = `${isStored} ${id}`;
  const closed =
    closedWorlds.get(key) ?? new StatementIdentifier(new ContextWorld(documents, { isLimited: !isStored }));
  closedWorlds.set(key, closed);
  return closed;
}

async function identify(
  work: IdentifyWork & Omit<TaskBase, 'cells'>,
  { limits, maxDepth, beginDocument }: Turn,
): Promise<Answer> {
  const { generateId, strict, reportCoverage } = work;
  const options = { generateId, strict, reportCoverage, maxDepth, ...limits };
  const identifier = identifierOf(work);
  const packer = new ResultPacker();
  const needs = new Set<string>();
  for (let at = 0; at < work.ranges.length; at += 2) {
    beginDocument();
    const bytes = new Uint8Array(work.body).slice(work.ranges[at], work.ranges[at + 1]);
    try {
      packer.add(await identifier.identify(bytes, options));
    } catch (error) {
      const isMissing = error instanceof MissingContexts;
      if (isMissing) for (const url of error.urls) needs.add(url);
      packer.addError(isMissing ? unknownContext(error) : error);
    }
  }
  if (needs.size > 0 && !work.isLastTry) return { needs: [...needs] };
  return { results: packer.packed() };
}

async function eachDocument<Result>(
  { body, ranges, ...options }: NQuadsWork,
  turn: Turn,
  resultOf: (nquads: string) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    turn.beginDocument();
    const document = new Uint8Array(body).slice(ranges[at], ranges[at + 1]);
    results.push(resultOf(await documentNQuads(document, options, turn)));
  }
  return results;
}

async function documentNQuads(
  document: Uint8Array,
  { canonical, covered }: Pick<NQuadsWork, 'canonical' | 'covered'>,
  { limits, maxDepth }: Turn,
): Promise<string> {
  const value = jsonObject(document, maxDepth);
  if (canonical) return await trusted.nquads(value, { ...limits, covered });
  trusted.world.contextSet(trusted.world.mentioned(value));
  return serializeNQuads((await toRdf(value, trusted.world)).quads);
}

/** Parses a JSON-LD document as strictly as a statement. */
function jsonObject(bytes: Uint8Array, maxDepth: number): JsonObject {
  const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
  if (typeof value === 'object' && value !== null) return value as JsonObject;
  throw new ServiceError('invalid_request', 'A JSON-LD document must be a JSON object or array.');
}
