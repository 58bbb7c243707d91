import { basename } from 'node:path';
import { type Cid, cidIn, parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { Problem } from './report.ts';

interface Claim {
  readonly cid: Cid;
  /** Who says so. */
  readonly source: string;
}

/** CIDs that something claims the input to have; each has to turn up among what is computed. */
export class ExpectedCids {
  readonly #open = new Map<string, Claim>();
  readonly count: number;

  constructor(claims: readonly Claim[]) {
    for (const claim of claims) this.#open.set(claim.cid.text, claim);
    this.count = this.#open.size;
  }

  /** A statement has exactly these names. */
  meet(...cids: readonly Cid[]): void {
    for (const { text } of cids) this.#open.delete(text);
  }

  /** A blob has every name with its hash: the codec says nothing about bytes. */
  meetBlob(blob: Cid): void {
    for (const [text, { cid }] of this.#open) {
      if (cid.multihash === blob.multihash && Buffer.compare(cid.digest, blob.digest) === 0)
        this.#open.delete(text);
    }
  }

  /** The claims that nothing has met. */
  get open(): readonly Cid[] {
    return [...this.#open.values()].map(({ cid }) => cid);
  }

  faults(computed: readonly string[]): Problem[] {
    return [...this.#open.values()].map(({ cid, source }) => ({
      given: cid.text,
      computed: computed.join(', '),
      reason: `the CID ${source} is not that of the content`,
    }));
  }
}

/** @throws ServiceError `invalid_cid`. */
export function expectedOf(options: readonly string[], file: string): ExpectedCids {
  const named = basename(file).split('.')[0] ?? '';
  const inName = cidIn(named);
  return new ExpectedCids([
    ...options.map((text) => ({ cid: parseCid(text), source: 'of --cid' })),
    ...(inName ? [{ cid: inName, source: 'in the name of the file' }] : []),
  ]);
}
