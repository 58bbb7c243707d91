import type { ErrorCode } from '../../errors.ts';
import type { LogStanding } from '../../log/standing.ts';
import type { LostSupport, unknownSupport } from '../governance/support.ts';
import type { Cid } from '../identifiers/cid.ts';
import type { Lineage } from '../lineage/graph.ts';
import type { ManifestSummary } from '../manifest/summary.ts';
import type { SubjectName } from '../names/name.ts';
import type { Judgement } from '../policies/verification.ts';
import type { StatementRow } from '../ports.ts';
import type { Check } from '../proofs/reasons.ts';
import type { RunFacts } from '../runs/run-document.ts';
import type { Signature } from '../signatures/signatures.ts';
import type { CredentialStanding, Trust } from '../signatures/trust.ts';

/** What an auditor is told about some subjects, as data. */
export interface Report {
  readonly madeAt: Date;
  readonly source: ReportSource;
  readonly subjects: readonly Subject[];
  /** Results of the manifest that the report does not cover. */
  readonly otherSubjects: number;
  /** The statements in the lineages, in the order of their time. */
  readonly statements: readonly ReportedStatement[];
  /** Statements in the lineages that were not read, because there are too many. */
  readonly unreadStatements: number;
  readonly governance: readonly Governance[];
  /** What the registrants of computations say about their runs, in the order of the statements. */
  readonly runs: readonly ReportedRun[];
  /** Names by identifier. They are foreign text. */
  readonly names: ReadonlyMap<string, string>;
  /** What is there for the identifiers of the lineages. */
  readonly contents: ReadonlyMap<string, Content>;
  /** Content and statements that the statements refer to and that are not there. */
  readonly missing: readonly string[];
  /** Things that the statements mention and that were not looked up, because there are too many. */
  readonly notLookedUp: number;
  readonly checks: Checks;
  readonly trusted: Trusted;
  /** What this proves. */
  readonly judgement: Judgement;
  /** What the log of the service has, by the ids of the statements. Of a manifest: none. */
  readonly logged: ReadonlyMap<string, LogStanding>;
}

/** Who signed, and whom the reader trusts. */
export interface Trusted
  extends Pick<
    ManifestSummary,
    'ids' | 'known' | 'signers' | 'isAsked' | 'credentials' | 'logs' | 'unlogged'
  > {
  readonly knownDids: ReadonlySet<string>;
}

export type ReportSource =
  | {
      readonly kind: 'manifest';
      readonly file: string;
      readonly size: number;
      /** The BLAKE3 hash of the file in hexadecimal digits. */
      readonly digest: string;
    }
  | { readonly kind: 'service'; readonly url: string };

export interface Subject {
  readonly id: string;
  /** Upstream. */
  readonly lineage: Lineage;
  readonly uses: readonly Use[];
  /** Whether there may be further uses. */
  readonly hasMoreUses: boolean;
}

/** A computation that used the subject. */
interface Use {
  /** The id of its statement. */
  readonly step: string;
  readonly outputs: readonly string[];
}

export interface ReportedStatement extends Pick<StatementRow, 'kind' | 'references' | 'time' | 'isTrusted'> {
  /** With `urn:cid:`. */
  readonly id: string;
  readonly graphIds: readonly string[];
  readonly trust: Trust;
  readonly signatures: readonly ReportedSignature[];
}

export interface ReportedSignature extends Pick<Signature, 'kind' | 'signer'> {
  readonly check: Check;
  /** `unknown`: its credential has a status, but the list is not known. */
  readonly standing: CredentialStanding | 'unknown' | undefined;
}

/** What a GovernanceRegistration says about its subject. */
export interface Governance extends GovernanceDocument {
  readonly subject: string;
  readonly statement: string;
  readonly document: string;
  /** Who has signed a review, if its document names nobody. */
  readonly signer?: string;
  /** Why a certificate no longer stands, or that nobody can tell here. */
  readonly lost?: LostSupport | typeof unknownSupport;
}

/** What a governance document says. The texts are foreign. */
export interface GovernanceDocument {
  readonly kind: 'declaration' | 'review' | 'certificate' | 'document';
  /** The decision of a review, or the types of a certificate. */
  readonly verdict?: string;
  readonly by?: string;
  readonly at?: string;
  readonly until?: string;
  readonly text?: string;
  /** The documents that a certificate rests on. */
  readonly outcomes?: readonly Cid[];
}

/** A computation with what its registrant says about its run. */
export interface ReportedRun {
  /** The id of the computation. */
  readonly id: string;
  readonly facts: RunFacts;
  /** The statement that says it. */
  readonly said: ReportedStatement;
}

/** The bytes behind an identifier. */
export interface Content {
  readonly size: number;
  /** Whether the bytes were hashed for this report. Manifests are hashed as a whole. */
  readonly isHashed: boolean;
  /** What it says as a governance document and its own name, if it is a small JSON object. */
  readonly governance?: GovernanceDocument;
  readonly name?: string | undefined;
  /** What it says about a run. */
  readonly run?: RunFacts;
  /** The name that it gives what it describes. */
  readonly naming?: SubjectName | undefined;
}

export interface Checks {
  readonly statements: number;
  readonly unchecked: number;
  readonly blobs: number;
  readonly contexts: number | undefined;
  readonly unverifiedContexts: readonly string[];
  /** Statements with content that their id does not cover. */
  readonly uncovered: number;
  readonly faults: Listed<Fault>;
  /** References to what is not there, in the whole manifest; undefined for a service. */
  readonly missing: Listed<string> | undefined;
}

export interface Fault {
  readonly code: ErrorCode;
  readonly place: string;
  readonly reason: string;
}

/** Everything is counted, but only the first ones are listed. */
export interface Listed<Item> {
  readonly count: number;
  readonly first: readonly Item[];
}
