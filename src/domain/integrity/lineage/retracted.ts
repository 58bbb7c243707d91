import type { RetractedReader } from '../signatures/trust.ts';
import type { StatementIndex } from '../statements/questions.ts';
import type { ReferringStatement } from '../statements/rows.ts';
import { isComputation, statementNode } from './edges.ts';

const claimsAtOnce = 500;

/**
 * An index that does not find retracted computations.
 * @param start is found although it may be retracted, because it was asked for.
 * @param leftOut receives the ids of those that were not found.
 */
export function withoutRetracted(
  index: Pick<StatementIndex, 'referringTo'>,
  retracted: RetractedReader,
  start: string,
  leftOut: Set<string>,
): Pick<StatementIndex, 'referringTo'> {
  const known = new Set([start]);
  return {
    async referringTo(query, scope) {
      const answers = await index.referringTo(query, scope);
      const registrants = new Map(
        answers
          .flatMap(({ found }) => found)
          .filter(({ statement: { kind } }) => isComputation(kind))
          .map(({ statement }) => [statementNode(statement), registrantOf(statement)] as const)
          .filter(([id]) => !known.has(id)),
      );
      const claims = Array.from(registrants, ([id, registeredBy]) => ({ id, registeredBy }));
      for (let at = 0; at < claims.length; at += claimsAtOnce)
        for (const id of await retracted(claims.slice(at, at + claimsAtOnce))) leftOut.add(id);
      for (const { id } of claims) known.add(id);
      if (leftOut.size === 0) return answers;
      return answers.map((answer) => ({
        ...answer,
        found: answer.found.filter(({ statement }) => !leftOut.has(statementNode(statement))),
      }));
    },
  };
}

function registrantOf({ references }: ReferringStatement): string | undefined {
  return references.find(({ role }) => role === 'registeredBy')?.identifier;
}
