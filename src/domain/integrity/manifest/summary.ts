import type { ErrorCode } from '../../errors.ts';
import type { SeenHead } from '../../log/head-proof.ts';
import type { ClaimedRetraction } from '../retractions/carried.ts';
import type { Trust } from '../signatures/trust.ts';
import type { CredentialCounts } from './credential-standings.ts';
import type { CarriedCredential } from './signatures.ts';

/** A log that a manifest has from its first entry to a published head. */
export interface WholeLog extends SeenHead {
  readonly statements: number;
  /** What the service has noted in it. */
  readonly notes: readonly string[];
  /** The leaf hashes, one after the other. */
  readonly leaves: Uint8Array;
}

/** Only a `fault` makes the manifest invalid. */
export type ManifestFinding =
  | { readonly kind: 'fault'; readonly place: string; readonly code: ErrorCode; readonly reason: string }
  /** A reference to content that the manifest does not carry. `place` is where the reference is. */
  | { readonly kind: 'missing'; readonly place: string; readonly identifier: string }
  /**
   * A statement that is not only claimed, or any statement if the reader has said whom they trust. `isKnown`: one of these
   * has signed all of it.
   */
  | { readonly kind: 'trust'; readonly statement: string; readonly trust: Trust; readonly isKnown: boolean }
  | { readonly kind: 'credential'; readonly credential: CarriedCredential }
  | { readonly kind: 'log'; readonly log: WholeLog }
  /** A retraction that does not count here, because the manifest does not prove who it is by. */
  | ({ readonly kind: 'claimed_retraction' } & ClaimedRetraction);

/** A key, and how many statements it has signed validly. */
export interface SignerCount {
  /** Null for a key that is not known. */
  readonly signer: string | null;
  readonly statements: number;
  readonly asRegistrant: number;
  /** Whether the reader trusts it. */
  readonly isKnown: boolean;
}

export interface ManifestSummary extends Counts {
  /** Number of statements, counting one form of each. */
  readonly ids: number;
  /** Who signed, the most frequent first. */
  readonly signers: readonly SignerCount[];
  /** Whether the reader has said whom they trust. */
  readonly isAsked: boolean;
  readonly credentials: CredentialCounts;
  readonly contexts: number;
  readonly unverifiedContexts: readonly string[];
  /** The logs of which the manifest has every entry up to a published head. */
  readonly logs: readonly WholeLog[];
  /** Number of forms that are in none of these logs, if there is one. */
  readonly unlogged: number;
}

const zero = {
  /** Counts every form. */
  statements: 0,
  /** Ids of statements by what stands behind them. */
  claimed: 0,
  signed: 0,
  /** Those of `signed` whose signature does not count now. */
  invalid: 0,
  revoked: 0,
  retracted: 0,
  /** Ids of statements that are signed and valid as a whole by somebody whom the reader trusts. */
  known: 0,
  /** Statements with content that their id does not cover. */
  uncovered: 0,
  /** Without statements and contexts, which are also blocks of a CAR. */
  blobs: 0,
  anchors: 0,
  faults: 0,
  missing: 0,
};

type Counts = Readonly<typeof zero>;

/** Counts what a verification finds. */
export class SummaryCounts {
  readonly counts = { ...zero };
  readonly logs: WholeLog[] = [];
  readonly #knownDids: ReadonlySet<string>;
  readonly #signers = new Map<string | null, { statements: number; asRegistrant: number }>();

  constructor(knownDids: ReadonlySet<string>) {
    this.#knownDids = knownDids;
  }

  add(finding: ManifestFinding): void {
    if (finding.kind === 'fault') this.counts.faults += 1;
    if (finding.kind === 'missing') this.counts.missing += 1;
    if (finding.kind === 'trust') this.#addTrust(finding);
    if (finding.kind === 'log') this.logs.push(finding.log);
  }

  get signers(): SignerCount[] {
    return [...this.#signers]
      .map(([signer, counts]) => ({ signer, ...counts, isKnown: this.isKnown(signer) }))
      .sort((one, other) => Number(other.isKnown) - Number(one.isKnown) || other.statements - one.statements);
  }

  isKnown(signer: string | null | undefined): boolean {
    return this.#knownDids.has(signer ?? '');
  }

  #addTrust({ trust, isKnown }: Extract<ManifestFinding, { kind: 'trust' }>): void {
    const { state, by, isRegistrant, isValid } = trust;
    this.counts[state] += 1;
    this.counts.claimed -= 1;
    if (isKnown) this.counts.known += 1;
    if (state === 'signed' && !isValid) this.counts.invalid += 1;
    if (!isValid) return;
    const signer = this.#signers.getOrInsertComputed(by ?? null, () => ({ statements: 0, asRegistrant: 0 }));
    signer.statements += 1;
    if (isRegistrant) signer.asRegistrant += 1;
  }
}
