import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.ts';
import type { ContextKeeper } from '../integrity/contexts/contexts.ts';
import { isBlake3 } from '../integrity/identifiers/hashing.ts';
import type { ClosedWorld, Identification, Identifier, StatementRow } from '../integrity/ports.ts';
import { mapConcurrent } from '../map-concurrent.ts';
import type { StatementEntry } from './contents.ts';
import type { Unreadable } from './problems.ts';

/** What came out when the ids of a stored statement were computed again. */
export type Verification = VerifiedStatement | DamagedStatement;

export interface VerifiedStatement {
  readonly entry: StatementEntry;
  /** The statement as it should be stored. */
  readonly row: StatementRow;
  /** Whether the id covers the whole statement. */
  readonly isCovered: boolean;
}

interface DamagedStatement extends Unreadable {
  /** The context set whose damage makes it impossible to check the statement. */
  readonly damagedSet?: string;
}

export interface VerifierPorts {
  /** Its registry has no documents: each statement is read with the documents that were kept with it. */
  readonly identifier: Pick<Identifier, 'identifyUnder'>;
  readonly contexts: Pick<ContextKeeper, 'documents'>;
}

const worldsKept = 256;
/** Enough to keep all threads busy. */
const pagesAtOnce = 6;

/** Computes the ids of stored statements again, each under its own context documents. */
export class Verifier {
  readonly #ports: VerifierPorts;
  readonly #worlds = new LRUCache<string, Promise<ClosedWorld | ServiceError>>({ max: worldsKept });

  constructor(ports: VerifierPorts) {
    this.#ports = ports;
  }

  /** One result for each entry, in order. */
  verify(
    pages: AsyncIterable<readonly (StatementEntry | Unreadable)[]>,
  ): AsyncIterable<readonly Verification[]> {
    return mapConcurrent(pages, pagesAtOnce, (page) => this.#verifyPage(page));
  }

  async #verifyPage(page: readonly (StatementEntry | Unreadable)[]): Promise<Verification[]> {
    const readable = page.filter((entry) => 'jcs' in entry);
    const sets = Map.groupBy(readable, ({ contextSet }) => contextSet);
    const verified = await Promise.all([...sets].map(([set, entries]) => this.#verifyUnder(set, entries)));
    const results = new Map(verified.flat());
    return page.flatMap((entry) => ('problem' in entry ? entry : (results.get(entry) ?? [])));
  }

  async #world(set: string): Promise<ClosedWorld | ServiceError> {
    const world = this.#worlds.get(set) ?? readWorld(this.#ports.contexts, set);
    this.#worlds.set(set, world);
    return await world;
  }

  async #verifyUnder(
    set: string,
    entries: readonly StatementEntry[],
  ): Promise<(readonly [StatementEntry, Verification])[]> {
    const world = await this.#world(set);
    if (world instanceof ServiceError) return entries.map((entry) => [entry, withoutContexts(entry, world)]);
    const ranges: number[] = [];
    let end = 0;
    for (const { jcs } of entries) {
      ranges.push(end, end + jcs.length);
      end += jcs.length;
    }
    const body = Buffer.concat(entries.map(({ jcs }) => jcs));
    const results = await this.#ports.identifier.identifyUnder(body, ranges, world);
    return entries.map((entry, at) => [entry, verification(entry, results[at])]);
  }
}

async function readWorld(contexts: VerifierPorts['contexts'], set: string) {
  try {
    return { id: set, documents: await contexts.documents(set), isStored: true };
  } catch (error) {
    if (error instanceof ServiceError && error.retryAfter === undefined) return error;
    throw error;
  }
}

function withoutContexts({ jcsCid, contextSet }: StatementEntry, { message }: ServiceError): Verification {
  const problem = `${message.replace(/\.$/, '')}, so its id cannot be computed`;
  return { id: jcsCid.text, problem, damagedSet: contextSet };
}

function verification(entry: StatementEntry, result: Identification | undefined): Verification {
  if (!result) throw new RangeError('An identification is missing.');
  const { jcsCid, jcs, contextSet, isTrusted } = entry;
  const damaged = { id: jcsCid.text, problem: 'Its bytes do not hash to its jcs_cid' };
  if ('error' in result) {
    return isBlake3(jcs, jcsCid.digest)
      ? { ...damaged, problem: result.error.message.replace(/\.$/, '') }
      : damaged;
  }
  const { rdfcCid, kind, references, time, ...computed } = result.row;
  if (Buffer.compare(computed.jcsCid.digest, jcsCid.digest) !== 0) return damaged;
  if (Buffer.compare(computed.jcs, jcs) !== 0) return damaged;
  const { isCovered } = result.row;
  return { entry, row: { jcsCid, jcs, contextSet, isTrusted, rdfcCid, kind, references, time }, isCovered };
}
