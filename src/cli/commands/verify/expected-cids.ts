import { basename } from 'node:path';
import { type Cid, cidIn, parseCid } from '../../../domain/integrity/identifiers/cid.ts';
import type { Report } from './report.ts';

interface Claim {
  readonly cid: Cid;
  readonly source: string;
}

/** CIDs that the input is claimed to have. Each must match a computed CID. */
export class ExpectedCids {
  readonly #claims = new Map<string, Claim>();
  readonly count: number;

  constructor(claims: readonly Claim[]) {
    for (const claim of claims) this.#claims.set(claim.cid.text, claim);
    this.count = this.#claims.size;
  }

  /** A statement has exactly these CIDs. */
  match(...cids: readonly Cid[]): void {
    for (const { text } of cids) this.#claims.delete(text);
  }

  /** A blob matches every CID with its hash, because the codec does not affect the bytes. */
  matchBlob(blob: Cid): void {
    for (const [text, { cid }] of this.#claims) {
      if (cid.multihash === blob.multihash && Buffer.compare(cid.digest, blob.digest) === 0)
        this.#claims.delete(text);
    }
  }

  get unmatched(): readonly Cid[] {
    return [...this.#claims.values()].map(({ cid }) => cid);
  }

  /** Adds the comparison with these CIDs to a report. */
  comparedIn(report: Report): Report {
    const problems = [...this.#claims.values()].map(({ cid, source }) => ({
      given: cid.text,
      computed: Object.values(report.cids).join(', '),
      reason: `the CID ${source} does not match the content`,
    }));
    const compared = report.compared + this.count;
    return { ...report, compared, problems: [...report.problems, ...problems] };
  }
}

export function expectedOf(options: readonly string[], file: string): ExpectedCids {
  const named = basename(file).split('.')[0] ?? '';
  const inName = cidIn(named);
  return new ExpectedCids([
    ...options.map((text) => ({ cid: parseCid(text), source: 'of --cid' })),
    ...(inName ? [{ cid: inName, source: 'in the file name' }] : []),
  ]);
}
