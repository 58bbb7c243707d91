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
