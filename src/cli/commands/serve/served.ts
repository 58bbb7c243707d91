import type { ServedService } from '../../../platform/settings/setting-table.ts';
import { failUsage } from '../../terminal/failure.ts';

/** The arguments of `cairn serve`, and the services that they start. */
export const servedBy = {
  all: ['integrity', 'control-plane'],
  integrity: ['integrity'],
  'control-plane': ['control-plane'],
  jobs: [],
} as const satisfies Readonly<Record<string, readonly ServedService[]>>;

export type Serving = keyof typeof servedBy;

/** @throws Failure for an unknown name. */
export function servingOf(name: string): Serving {
  if (Object.hasOwn(servedBy, name)) return name as Serving;
  failUsage(`There is no service "${name}". Name one of ${Object.keys(servedBy).join(', ')}.`);
}
