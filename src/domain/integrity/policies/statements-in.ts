import type { FactName } from './fact-table.ts';
import {
  type Computation,
  elementOf,
  type Facts,
  fieldsOf,
  type LogFact,
  type SignatureFact,
  sharedFacts,
} from './facts.ts';

/** What the facts say about a statement. */
export interface FactStatement {
  readonly id: string;
  /** What it says something about, and of which kind that is. */
  readonly says: { readonly fact: FactName; readonly of: string }[];
  readonly signatures: SignatureFact[];
  log: LogFact | undefined;
}

type Plain = Readonly<Record<string, unknown>>;
type Said = Pick<Computation, 'statements' | 'signatures' | 'log' | 'said_by' | 'said_with'>;

/** The statements that facts rest on, with their signatures and places in logs. */
export function statementsIn({ things, logged = {} }: Facts): Map<string, FactStatement> {
  const found = new Map<string, FactStatement>();
  const entry = (id: string) =>
    found.getOrInsertComputed(id, () => ({ id, says: [], signatures: [], log: undefined }));
  const walk = (fact: FactName, plain: Plain, owner: string) => {
    const of = typeof plain.id === 'string' && fact !== 'vulnerability' ? plain.id : owner;
    const { statements = [], signatures: given = [], log, ...said } = plain as Said;
    const { said_by: describing = {}, said_with: described = [] } = said;
    // A signature is its own in the statement that carries it.
    const signatures = fact === 'signature' ? [plain as SignatureFact] : given;
    for (const id of new Set([...statements, ...Object.values(describing).flat()])) {
      const isOwn = statements.includes(id);
      const statement = entry(id);
      if (!statement.says.some((one) => one.fact === fact && one.of === of))
        statement.says.push({ fact, of });
      // Of several statements nobody can tell which one the log has there.
      statement.log ??= logged[id] ?? (isOwn && statements.length === 1 ? log : undefined);
      // A signature in a credential has a statement of its own.
      for (const one of isOwn ? signatures : described)
        if (isOf(one, id, statements) && !statement.signatures.includes(one)) statement.signatures.push(one);
    }
    for (const [field, { type }] of Object.entries(fieldsOf(fact) ?? {})) {
      const inner = (elementOf(type) ?? type) as FactName;
      if (!fieldsOf(inner) || Object.hasOwn(sharedFacts, inner)) continue;
      const value = plain[field];
      for (const one of Array.isArray(value) ? value : [value])
        if (typeof one === 'object' && one !== null) walk(inner, one as Plain, of);
    }
  };
  for (const [fact, name] of Object.entries(sharedFacts))
    for (const [id, plain] of Object.entries(things[name])) walk(fact as FactName, plain as Plain, id);
  return found;
}

function isOf({ statements = [] }: SignatureFact, id: string, all: readonly string[]): boolean {
  return statements.includes(id) || !all.some((one) => statements.includes(one));
}
