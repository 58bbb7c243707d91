import { type ErrorDetail, ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { reasonOf, type ShapeProblem, shapeProblems, wordList } from '../../json/shape-problems.ts';
import { anyStatement, type StatementKind, statementKinds } from '../kinds/registry.ts';
import { isWithin, type Uncovered } from './coverage.ts';

const problemsListed = 400;
const problemsTold = 5;

/** @throws ServiceError `invalid_statement` unless the statement has the shape of its kind. */
export function assertShape(kind: StatementKind | undefined, statement: JsonObject): void {
  const problems = shapeProblems(shapeOf(kind), statement);
  if (problems.length === 0) return;
  throw new ServiceError('invalid_statement', messageOf(kind, problems), { details: detailsOf(problems) });
}

/**
 * Refuses a statement that its id does not cover. Where the shape of the kind tells the mistake, this says so: JSON-LD
 * drops a bare CID, for example.
 */
export function assertCovered(
  kind: StatementKind | undefined,
  statement: JsonObject,
  uncovered: readonly Uncovered[],
): never {
  const shape = shapeProblems(shapeOf(kind), statement);
  const problems = uncovered.flatMap((place): (ShapeProblem | Uncovered)[] => {
    const { pointer } = place;
    const within = shape.filter((one) => isWithin(one.pointer, pointer));
    return within.length > 0 ? within : [strangeMember(kind, place) ?? place];
  });
  const known = problems.filter((problem) => 'words' in problem);
  const places = uncovered.map(({ pointer }) => `"${pointer}"`).join(', ');
  const message =
    known.length > 0
      ? messageOf(kind, known)
      : `The id of this statement would not cover ${places || 'all of it'}, because its context does not define it. Remove it, or define it in a context.`;
  throw new ServiceError('not_covered', message, { details: detailsOf(problems) });
}

function shapeOf(kind: StatementKind | undefined) {
  return kind ? statementKinds[kind].shape : anyStatement;
}

function strangeMember(kind: StatementKind | undefined, { pointer }: Uncovered): ShapeProblem | undefined {
  const name = pointer.slice(1);
  if (!kind || name === '' || name.includes('/')) return undefined;
  const members = ['registeredBy', 'timestamp', ...Object.keys(statementKinds[kind].fields)];
  if (members.includes(name)) return undefined;
  const words = `is not a member of ${kind}, which has ${wordList(members)}. Remove it, or define it in a context`;
  return { pointer, name, isMissing: false, words };
}

function detailsOf(problems: readonly (ShapeProblem | Uncovered)[]): ErrorDetail[] {
  return problems.slice(0, problemsListed).map((problem) => ({
    pointer: problem.pointer,
    reason: 'words' in problem ? reasonOf(problem) : problem.reason,
  }));
}

function messageOf(kind: StatementKind | undefined, problems: readonly ShapeProblem[]): string {
  const missing = problems.filter(({ isMissing }) => isMissing).map(({ name }) => name);
  const are = missing.length === 1 ? 'is' : 'are';
  const told = problems.slice(0, problemsTold).map(({ name, words }) => `${name} ${words}`.trim());
  const more = problems.length - told.length;
  return [
    `This is not a valid ${kind ?? 'statement'}: `,
    missing.length > 0 ? `${wordList(missing)} ${are} missing. ` : '',
    told.join('; '),
    more > 0 ? `; and ${more} more` : '',
    '.',
  ].join('');
}
