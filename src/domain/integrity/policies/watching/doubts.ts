import type { Withdrawn } from '../withdrawn.ts';

/** A fact that a condition looked for in vain. */
export interface Missing {
  readonly fact: string;
  /** The kind of fact that has it. Undefined for what conditions can name everywhere. */
  readonly kind?: string | undefined;
  readonly of: string;
}

/** Why a condition could not be evaluated. */
export interface Doubt {
  readonly code: string;
  readonly fact?: string;
  readonly kind?: string | undefined;
  readonly of?: string;
}

/** What one run of a condition read. */
export interface Watched {
  /** The statements that decided. */
  readonly statements: ReadonlySet<string>;
  readonly missing: readonly Missing[];
  /** What does not count now, because its signature does not. */
  readonly withdrawn: readonly Withdrawn[];
  /** Lists that were read to their ends although they may lack something. */
  readonly cut: readonly Doubt[];
  /** Conditions on all items of lists without items. */
  readonly empty: readonly Doubt[];
  readonly unknown: readonly Doubt[];
  readonly isTooCostly: boolean;
  readonly steps: number;
}
