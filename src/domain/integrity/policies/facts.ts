import { type FactField, type FactName, factTable, rootTable } from './fact-table.ts';
import type { RetractedFact } from './withdrawn.ts';

type Table = typeof factTable;

/** Facts that others name by their identifiers, because many share them. */
export const sharedFacts = { artefact: 'artefacts', computation: 'computations', agent: 'agents' } as const;
type Shared = keyof typeof sharedFacts;

/** What JSON has for a type of the table. Timestamps are RFC 3339 texts. Shared facts are identifiers. */
type ValueOf<Type> = Type extends `list(${infer Element})`
  ? readonly ValueOf<Element>[]
  : Type extends 'int' | 'double'
    ? number
    : Type extends 'bool'
      ? boolean
      : Type extends 'values'
        ? Readonly<Record<string, unknown>>
        : Type extends Exclude<FactName, Shared>
          ? Fact<Type>
          : string;

/** Why a fact is not known. */
export type UnknownCode =
  /** There are too many statements. */
  | 'not_read'
  /** Nobody can tell whether its signature was revoked. */
  | 'standing_unknown'
  /** No document of the kind that would say it was imported. */
  | 'no_such_evidence'
  /** There is no proof of its place in a log. */
  | 'no_log_proof'
  /** The bytes of its document are not there. */
  | 'bytes_missing'
  /** A manifest does not have it, or the reader may not see it. */
  | 'not_visible';

/** A fact as plain data. Signers are named by the policy, so they are not here: `signatures` are. */
export type Fact<Name extends FactName> = {
  readonly [Field in Exclude<keyof Table[Name], Derived>]?:
    | ValueOf<Table[Name][Field] extends { readonly type: infer Type } ? Type : never>
    | undefined;
} & {
  /** Fields that could not be found out. */
  readonly unknown?: Readonly<Record<string, UnknownCode>>;
  /** Lists that may lack something, because a limit cut them. */
  readonly cut?: readonly string[];
  /** The statements that fields rest on, unless all of `statements`. */
  readonly said_by?: Readonly<Record<string, readonly string[]>>;
  /** The signatures of those statements in `said_by` that are none of `statements`. */
  readonly said_with?: readonly SignatureFact[];
};

/** These follow from `signatures` and the signers of a policy. */
type Derived = 'signed_by' | 'signers';

export type Artefact = Fact<'artefact'>;
export type Computation = Fact<'computation'>;
export type SignatureFact = Fact<'signature'>;
export type LogFact = Fact<'log'>;

/** All that conditions read about one subject, as its reader sees it. Lists have identifiers. */
export interface Facts {
  readonly subject: string;
  readonly upstream: readonly string[];
  readonly members: readonly string[];
  readonly computations: readonly string[];
  readonly agents: readonly string[];
  readonly complete?: boolean;
  readonly unknown?: Readonly<Record<string, UnknownCode>>;
  readonly cut?: readonly string[];
  readonly things: {
    readonly artefacts: Readonly<Record<string, Artefact>>;
    readonly computations: Readonly<Record<string, Computation>>;
    readonly agents: Readonly<Record<string, Fact<'agent'>>>;
  };
  /** Where statements stand in logs, by id, if the policy reads that. */
  readonly logged?: Readonly<Record<string, LogFact>>;
  /** The DIDs of the service that a signer `service` means. */
  readonly service: readonly string[];
  /** What was altered. Then no rule passes. */
  readonly faults: readonly string[];
  /** Statements that somebody has withdrawn, while nothing tells whether they may. No rule passes that rests on one. */
  readonly disputed?: readonly string[];
  /** Retracted statements, which say nothing. Rules that lack something name them. */
  readonly retracted?: readonly RetractedFact[];
}

/** The fields of a fact by name. */
export function fieldsOf(name: string): Readonly<Record<string, FactField>> | undefined {
  return Object.hasOwn(factTable, name)
    ? (factTable[name as FactName] as Readonly<Record<string, FactField>>)
    : undefined;
}

export const rootFields: Readonly<Record<string, FactField>> = rootTable;

/** The element of `list(…)`; undefined for other types. */
export function elementOf(type: string): string | undefined {
  return type.startsWith('list(') ? type.slice(5, -1) : undefined;
}
