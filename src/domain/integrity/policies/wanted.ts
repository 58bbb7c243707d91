import { parseVkey, type Vkey } from '../../log/notes/vkey.ts';
import type { Wanted } from './gathering/ports.ts';
import type { Policy } from './read-policy.ts';

/** What a policy reads, and whose signatures and logs count for it. */
export interface PolicyNeeds extends Wanted {
  /** The keys of the log and of the witnesses that the policy names. */
  readonly logKeys: readonly Vkey[];
}

/** @param explain everything is looked up, because somebody wants to see all facts. */
export function needsOf({ document, rules }: Policy, explain = false): PolicyNeeds {
  const conditions = rules.flatMap(({ for: things = '', require }) => [things, require]);
  const words = new Set(conditions.flatMap(wordsIn));
  const readsAll = explain || conditions.some((one) => computedName.test(one));
  const { log: { key, witnesses = [] } = {} } = document;
  return {
    field: (name) => readsAll || words.has(name),
    signers: new Set(
      Object.values(document.signers)
        .flat()
        .map((one) => (typeof one === 'string' ? one : one.sigstore.identity)),
    ),
    logKeys: [...(key === undefined ? [] : [key]), ...witnesses].map(parseVkey),
  };
}

/** Something in brackets that is neither one number nor one plain text, and no list after "in": it may compute a name. */
const computedName = /(?<!\bin\s*)\[(?!\s*(?:\d+|'[^'\\]*'|"[^"\\]*")\s*\])/;

/** All names that a condition can read, and more. */
function wordsIn(condition: string): string[] {
  return condition.match(/[a-z_]\w*/gi) ?? [];
}
