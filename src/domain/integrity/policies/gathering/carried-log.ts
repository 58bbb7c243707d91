import { statementEntry } from '../../../log/entries.ts';
import { hashSize, leafHash } from '../../../log/merkle/hashing.ts';
import type { Vkey } from '../../../log/notes/vkey.ts';
import { cidIn } from '../../identifiers/cid.ts';
import { digestKey } from '../../identifiers/digest-set.ts';
import type { IndexedManifest } from '../../manifest/indexed/indexed-manifest.ts';
import type { WholeLog } from '../../manifest/summary.ts';
import type { StatementRow } from '../../ports.ts';
import type { LogFact } from '../facts.ts';
import { type SignedCheckpoint, signedCheckpoint } from './log-facts.ts';

interface KnownLog {
  readonly checkpoint: SignedCheckpoint;
  readonly size: number;
  /** Index by leaf hash. */
  readonly indexes: ReadonlyMap<string, number>;
}

/** Where the statements of a manifest stand in the logs that it has whole. */
export class CarriedLogPlaces {
  readonly #manifest: Pick<IndexedManifest, 'summary' | 'statementIndex' | 'scope'>;
  readonly #keys: readonly Vkey[];
  #logs: readonly KnownLog[] | undefined;

  /** @param keys of logs and witnesses that count. */
  constructor(
    manifest: Pick<IndexedManifest, 'summary' | 'statementIndex' | 'scope'>,
    keys: readonly Vkey[],
  ) {
    this.#manifest = manifest;
    this.#keys = keys;
  }

  /** By id. Statements that no known log has are missing. */
  async of(statements: readonly string[]): Promise<Map<string, LogFact>> {
    const { statementIndex, scope, summary } = this.#manifest;
    this.#logs ??= summary.logs.flatMap((log) => this.#known(log) ?? []);
    const found = new Map<string, LogFact>();
    if (this.#logs.length === 0) return found;
    for (const id of statements) {
      const cid = cidIn(id);
      const page = cid && (await statementIndex.forms(cid, { after: null, limit: 1 }, scope));
      const fact = page?.statements[0] && this.#placeOf(page.statements[0]);
      if (fact) found.set(id, fact);
    }
    return found;
  }

  #known({ checkpoint: { note }, size, leaves }: WholeLog): KnownLog | undefined {
    const checkpoint = signedCheckpoint(note, this.#keys);
    if (!checkpoint) return undefined;
    const indexes = new Map<string, number>();
    for (let index = 0; index < size; index += 1)
      indexes.set(digestKey(leaves.subarray(index * hashSize, (index + 1) * hashSize)), index);
    return { checkpoint, size, indexes };
  }

  #placeOf({ rdfcCid, jcsCid }: StatementRow): LogFact | undefined {
    const jcsDigest = jcsCid.digest;
    for (const rdfcDigest of [rdfcCid.digest, null]) {
      const leaf = digestKey(leafHash(statementEntry({ rdfcDigest, jcsDigest })));
      for (const { checkpoint, size, indexes } of this.#logs ?? []) {
        const index = indexes.get(leaf);
        if (index !== undefined) return { ...checkpoint, index, size };
      }
    }
    return undefined;
  }
}
