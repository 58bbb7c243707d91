import { isVisible } from '../../../access/visibility.ts';
import { ServiceError } from '../../../errors.ts';
import { learntNames } from '../../access/learnt-names.ts';
import type { SameBytes } from '../../blobs/same-bytes.ts';
import { uuidIn } from '../../identifiers/identifiers.ts';
import { foldedName } from '../../names/name.ts';
import type { StatementScope } from '../../ports.ts';
import { resultsIn } from '../../report/results.ts';
import { type FindThingsPorts, findThings, identifiedFor } from '../../search/find-things.ts';
import type { StatementIndex } from '../../statements/questions.ts';

export interface SubjectPorts extends FindThingsPorts {
  readonly statementIndex: FindThingsPorts['statementIndex'] & Pick<StatementIndex, 'search'>;
  readonly sameBytes: SameBytes;
}

export interface Subjects {
  /** In their order, which is the same in a service and in a manifest. */
  readonly ids: readonly string[];
  /** The graph in which they are checked. */
  readonly graphId: string | null;
  /** Whether there are more. */
  readonly isCut: boolean;
}

/** The results of a graph or a manifest that one check is about. */
export const mostSubjects = 50;
const namesakesListed = 10;
/** The statements of a graph that are read for its results. */
const mostStatements = 20_000;

/**
 * What a check is about: a thing by its identifier, digest or name, or the results of a graph, from which nothing else was made.
 * @throws ServiceError `not_found` if nobody knows it, `conflict` if several things have the name.
 */
export async function subjectsOf(
  ports: SubjectPorts,
  text: string,
  scope: StatementScope,
): Promise<Subjects> {
  const { graphId } = scope;
  const uuid = uuidIn(text);
  const graph = uuid === undefined ? undefined : await ports.graphs.get(uuid);
  if (graph && isVisible(graph.projectId, scope.visibility)) {
    const inGraph = { ...scope, graphId: graph.graphId };
    const { first, count, isCut } = await resultsIn(
      ports.statementIndex,
      inGraph,
      mostSubjects,
      mostStatements,
    );
    if (count === 0)
      throw new ServiceError('not_found', `The graph ${graph.graphId} has no results that could be checked.`);
    return { ids: first.toSorted(), graphId: graph.graphId, isCut };
  }
  const [identified] = await identifiedFor(ports, text, scope);
  if (identified !== undefined) return { ids: [identified], graphId, isCut: false };
  return { ids: [await namedThing(ports, text, scope)], graphId, isCut: false };
}

async function namedThing(ports: SubjectPorts, text: string, scope: StatementScope): Promise<string> {
  const groups = await findThings(ports, text, { after: null, limit: namesakesListed, group: null }, scope);
  const wanted = foldedName(text);
  const things = [...groups.values()].flatMap(({ things }) => things);
  const same = things.filter(({ name, otherNames }) =>
    [name, ...otherNames].some((one) => one !== null && foldedName(one) === wanted),
  );
  return await onlyThing(
    learntNames(ports, scope),
    text,
    same.map(({ id }) => id),
    'Nothing that you may see',
  );
}

/**
 * The thing that has a name. Bytes with several identifiers are one thing.
 * @param ids of all that have the name.
 * @param nothing what has no such thing, as the subject of a sentence.
 * @throws ServiceError `not_found` if there is none, `conflict` if there are several.
 */
export async function onlyThing(
  same: Pick<SameBytes, 'withReferences'>,
  text: string,
  ids: readonly string[],
  nothing: string,
): Promise<string> {
  const known = await same.withReferences(ids);
  const things = [...new Set(ids.map((id) => known.get(id)?.names[0] ?? id))];
  const [only, other] = things;
  const shown = JSON.stringify(text.slice(0, 200));
  if (only === undefined)
    throw new ServiceError('not_found', `${nothing} has the identifier or the name ${shown}.`);
  if (other === undefined) return only;
  throw new ServiceError(
    'conflict',
    `Several things are called ${shown}. Name one by its identifier: ${things.join(', ')}.`,
  );
}
