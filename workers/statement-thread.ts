import '../src/domain/older-runtimes.ts';
import { LRUCache } from 'lru-cache';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
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
import type { Answer, IdentifyWork, NQuadsWork, Task, TaskBase, ThreadSettings } from './protocol.ts';
import { TaskCells } from './task-cells.ts';
import { lowerPriority } from './thread-priority.ts';

/** Enough for every test vector of RDFC-1.0. Time limits stop hostile graphs. */
const workFactor = 3;

lowerPriority();

const { maxDepth, documentMs } = workerData as ThreadSettings;
const limits = { workFactor, cpuMs: documentMs };
let trusted = new StatementIdentifier(ContextWorld.bundled());
/** Worlds other than the trusted one. Entries never go stale, because the same id means the same documents. */
const closedWorlds = new LRUCache<string, StatementIdentifier>({
  max: 32,
  maxSize: worldLimit,
  sizeCalculation: ({ world }) => world.weight + 1,
});

export default async function run(task: Task): Promise<Answer> {
  trusted = trusted.within(worldLimit);
  const cells = new TaskCells(task.cells);
  cells.begin();
  try {
    const { world } = identifierOf(task);
    for (const document of task.documents) world.add(document);
    if (task.kind === 'identify') return await identify(task, cells);
    if (task.kind === 'nquads')
      return task.digests
        ? { digests: await eachDocument(task, cells, sha256Digest) }
        : { nquads: await eachDocument(task, cells, (text) => text) };
    cells.beginDocument();
    if (task.kind === 'split') return splitEnvelope(new Uint8Array(task.body), task.part);
    if (task.kind === 'jcs') {
      const answer = canonicalJson(new Uint8Array(task.body), maxDepth);
      return moved(answer, answer.text.buffer);
    }
    const { '@id': _, ...document } = JSON.parse(Buffer.from(task.statement).toString());
    return { nquads: [await identifierOf(task).nquads(document, limits)] };
  } catch (error) {
    if (!(error instanceof MissingContexts)) return { error: packError(error) };
    return task.isLastTry ? { error: packError(unknownContext(error)) } : { needs: error.urls };
  } finally {
    cells.end();
  }
}

/** The documents of a closed world come first, so trusted documents do not replace them. */
function identifierOf(task: Task): StatementIdentifier {
  if (!('world' in task) || !task.world) return trusted;
  const { id, documents, isStored = false } = task.world;
  const key = `${isStored} ${id}`;
  const closed =
    closedWorlds.get(key) ?? new StatementIdentifier(new ContextWorld(documents, { isLimited: !isStored }));
  closedWorlds.set(key, closed);
  return closed;
}

async function identify(work: IdentifyWork & TaskBase, cells: TaskCells): Promise<Answer> {
  const { generateId, strict, reportCoverage } = work;
  const options = { generateId, strict, reportCoverage, maxDepth, ...limits };
  const identifier = identifierOf(work);
  const packer = new ResultPacker();
  const needs = new Set<string>();
  for (let at = 0; at < work.ranges.length; at += 2) {
    cells.beginDocument();
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
  const results = packer.packed();
  return moved({ results }, results.rows.bytes.buffer);
}

/** The answer, with a buffer that is not copied on its way. */
function moved(answer: Answer, buffer: ArrayBufferLike): Answer {
  return move({ [transferableSymbol]: [buffer], [valueSymbol]: answer } as never) as unknown as Answer;
}

async function eachDocument<Result>(
  { body, ranges, ...options }: NQuadsWork,
  cells: TaskCells,
  resultOf: (nquads: string) => Result,
): Promise<Result[]> {
  const results: Result[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    cells.beginDocument();
    const document = new Uint8Array(body).slice(ranges[at], ranges[at + 1]);
    results.push(resultOf(await documentNQuads(document, options)));
  }
  return results;
}

async function documentNQuads(
  document: Uint8Array,
  { canonical, covered }: Pick<NQuadsWork, 'canonical' | 'covered'>,
): Promise<string> {
  const value = jsonObject(document);
  if (canonical) return await trusted.nquads(value, { ...limits, covered });
  trusted.world.contextSet(trusted.world.mentioned(value));
  return serializeNQuads((await toRdf(value, trusted.world)).quads);
}

/** Parses a JSON-LD document as strictly as a statement. */
function jsonObject(bytes: Uint8Array): JsonObject {
  const value = parseStrictJson(bytes, { maxDepth, exactNumbers: true });
  if (typeof value === 'object' && value !== null) return value as JsonObject;
  throw new ServiceError('invalid_request', 'A JSON-LD document must be a JSON object or array.');
}
