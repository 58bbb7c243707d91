import type { Cid } from '../../identifiers/cid.ts';
import type { LineagePorts } from '../../lineage/lineage.ts';
import type { TrustPorts } from '../../signatures/trust.ts';
import type { Fact, LogFact } from '../facts.ts';
import type { ReadBill } from './read-bill.ts';

/** What facts are gathered from: a service as its caller sees it, or a manifest. */
export interface FactPorts extends LineagePorts {
  readonly trusting: TrustPorts;
  /** Names of people and agents, by DID. */
  readonly names: (dids: readonly string[]) => Promise<ReadonlyMap<string, string>>;
  /** Verified bytes of blobs that statements of the reader name, in their order; undefined for larger and missing ones. */
  readonly documents: (cids: readonly Cid[], limit: number) => Promise<readonly (Uint8Array | undefined)[]>;
  /** Where statements stand in logs, by id. Those without a proof are missing. */
  readonly logged: (statements: readonly string[]) => Promise<ReadonlyMap<string, LogFact>>;
  /** Whether logs show that none of these statements' graphs has left something out. */
  readonly isComplete: (statements: readonly string[]) => Promise<boolean>;
  /** See `SupportPorts`. */
  readonly disputed: ReadonlySet<string>;
  readonly readBill: ReadBill;
  /** The exchanges of agents that the reader may see, by DID. */
  readonly exchanges: (dids: readonly string[]) => Promise<ReadonlyMap<string, ExchangesFound>>;
}

export interface ExchangesFound {
  readonly exchanges: readonly Fact<'exchange'>[];
  readonly isCut: boolean;
}

/** What a policy reads, so that nothing else is looked up. */
export interface Wanted {
  /** Whether conditions read facts of this name. */
  readonly field: (name: string) => boolean;
  /** The DIDs and identities that the policy names. Others cannot hide their signatures. */
  readonly signers: ReadonlySet<string>;
}
