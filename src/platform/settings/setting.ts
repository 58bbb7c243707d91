import type { SettingKind } from './kinds.ts';

/** One setting of the service: what it is called, how it is read, what it is when nobody sets it. */
export interface Setting<Value> {
  readonly variable: string;
  /** Flag of `cairn serve`, without dashes. */
  readonly flag?: string;
  /** Whether the flag is also read as Go programs write it: with one dash, and alone for "true". */
  readonly hasGoFlag?: true;
  /** Whether an empty variable counts as none, as charts write what nobody gave; otherwise it is a problem. */
  readonly emptyIsUnset?: true;
  readonly kind: SettingKind<Value>;
  /** As an operator would write it; null when the setting may be absent. */
  readonly default: string | null;
  readonly isSecret?: true;
  readonly about: string;
}

export function required<Value>(setting: Setting<Value> & { default: string }) {
  return { ...setting, optional: false as const };
}

export function optional<Value>(setting: Omit<Setting<Value>, 'default'>) {
  return { ...setting, default: null, optional: true as const };
}

type ValueOf<Entry> = Entry extends { kind: SettingKind<infer Value> } ? Value : never;

/** The values of a table of settings. */
export type ValuesOf<Table extends Record<string, { readonly optional: boolean }>> = {
  readonly [Name in keyof Table]:
    | ValueOf<Table[Name]>
    | (Table[Name]['optional'] extends true ? null : never);
};

/** The flag as an operator writes it. */
export function writtenFlag({ flag, hasGoFlag }: Pick<Setting<unknown>, 'flag' | 'hasGoFlag'>): string {
  return `${hasGoFlag ? '-' : '--'}${flag}`;
}

/** The value of a setting that a mode needs, which was demanded when the settings were read. */
export function given(value: string | null): string {
  if (value === null) throw new TypeError('A setting that this mode needs is missing.');
  return value;
}
