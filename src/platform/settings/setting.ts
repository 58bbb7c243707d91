import type { SettingKind } from './kinds.ts';

export interface Setting<Value> {
  readonly variable: string;
  /** Flag of `cairn serve`, without dashes. */
  readonly flag?: string;
  /** Whether the flag also follows Go: one dash, and no value means "true". */
  readonly hasGoFlag?: true;
  /** Whether an empty variable counts as unset, as Helm charts write it. Otherwise it is a problem. */
  readonly emptyIsUnset?: true;
  readonly kind: SettingKind<Value>;
  /** As an operator writes it; null when the setting may be absent. */
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

export type ValuesOf<Table extends Record<string, { readonly optional: boolean }>> = {
  readonly [Name in keyof Table]:
    | ValueOf<Table[Name]>
    | (Table[Name]['optional'] extends true ? null : never);
};

/** The flag as an operator writes it. */
export function writtenFlag({ flag, hasGoFlag }: Pick<Setting<unknown>, 'flag' | 'hasGoFlag'>): string {
  return `${hasGoFlag ? '-' : '--'}${flag}`;
}

/** The value of a setting that the active mode requires. `readSettings` has checked that it is set. */
export function requiredValue(value: string | null): string {
  if (value === null) throw new TypeError('A setting that this mode needs is missing.');
  return value;
}
