import type { z } from 'zod';

export interface Setting<Value> {
  readonly variable: string;
  /** Flag of `cairn serve`, without dashes. */
  readonly flag?: string;
  /**
   * Whether the flag also follows Go: one dash, and no value means "true". Then an empty variable counts as unset, as
   * Helm charts write it. Otherwise it is a problem.
   */
  readonly hasGoFlag?: boolean;
  /** Parses the text. Its description is for the docs. Its first issue says what is valid. */
  readonly kind: z.ZodType<Value>;
  /** As an operator writes it; null when the setting may be absent. */
  readonly default: string | null;
  /** Name of a setting whose value replaces a greater default. */
  readonly defaultAtMost?: string;
  readonly isSecret?: boolean;
  readonly about: string;
}

/** The variable alone, or with a flag. */
type Names = string | Pick<Setting<unknown>, 'variable' | 'flag' | 'hasGoFlag'>;

export function required<Value>(names: Names, kind: z.ZodType<Value>, usual: string) {
  return described({ ...named(names), kind, default: usual });
}

export function optional<Value>(names: Names, kind: z.ZodType<Value>) {
  return described({ ...named(names), kind, default: null });
}

export function optionalSecret<Value>(names: Names, kind: z.ZodType<Value>) {
  return described({ ...named(names), kind, default: null, isSecret: true });
}

function described<Base>(setting: Base) {
  return { about: (about: string) => ({ ...setting, about }) };
}

function named(names: Names) {
  return typeof names === 'string' ? { variable: names } : names;
}

export type SettingTable = Readonly<Record<string, Setting<unknown>>>;

export type ValuesOf<Table extends SettingTable> = {
  readonly [Name in keyof Table]:
    | z.output<Table[Name]['kind']>
    | (Table[Name]['default'] extends null ? null : never);
};

/** The flag as an operator writes it. */
export function writtenFlag({ flag, hasGoFlag }: Pick<Setting<unknown>, 'flag' | 'hasGoFlag'>): string {
  return `${hasGoFlag ? '-' : '--'}${flag}`;
}
