import { type CallerName, callerKey } from '../access/access.ts';
import { uuidIn } from '../integrity/identifiers/identifiers.ts';
import { shownName } from '../integrity/names/name.ts';
import type { Graph, GraphStore } from '../integrity/ports.ts';
import { nameOf } from './agents/agent-names.ts';
import type { Agents } from './agents/agents.ts';
import { bindingOf, type ProjectBindings } from './gateway/project-records.ts';
import { type User, type Users, userBySubject } from './users.ts';

export interface ConsoleNaming {
  readonly users: Pick<Users, 'get' | 'page'>;
  readonly agents: Pick<Agents, 'get'>;
  readonly graphs: Pick<GraphStore, 'get'>;
  readonly projectBindings: Pick<ProjectBindings, 'page'>;
}

/** The names of callers who are users, by `callerKey`. */
export async function peopleNames(
  { users }: Pick<ConsoleNaming, 'users'>,
  callers: readonly (CallerName | null)[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const caller of callers) {
    if (caller === null || caller.subject === null || names.has(callerKey(caller))) continue;
    const user = await userBySubject(users, caller.issuer, caller.subject);
    const name = user && userName(user);
    if (name) names.set(callerKey(caller), name);
  }
  return names;
}

/** Undefined if the provider says none. Some write the e-mail as name. */
export function userName({ name, nameOverride, email }: User): string | undefined {
  const given = shownName(nameOverride ?? name ?? '');
  return given === '' || given === email ? undefined : given;
}

/**
 * What administrators read instead of the ids of users, agents and graphs. Projects of the governance console stay nameless,
 * because being an administrator here does not open them.
 */
export async function targetNames(
  naming: ConsoleNaming,
  ids: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const id of new Set(ids)) {
    const name = await targetName(naming, id);
    if (name !== undefined) names.set(id, name);
  }
  return names;
}

async function targetName(naming: ConsoleNaming, id: string): Promise<string | undefined> {
  if (uuidIn(id) === undefined) {
    const agent = await naming.agents.get(id);
    return agent && nameOf(agent);
  }
  const user = await naming.users.get(id);
  if (user) return userName(user);
  const graph = await naming.graphs.get(id);
  return graph && (await isOperated(naming, graph)) ? shownName(graph.name) : undefined;
}

/** The names of projects that the caller was let into: those of their root graphs. */
export async function projectNames(
  { graphs }: Pick<ConsoleNaming, 'graphs'>,
  projects: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(projects.map((id) => graphs.get(id)));
  return new Map(found.flatMap((graph) => (graph ? [[graph.graphId, shownName(graph.name)] as const] : [])));
}

async function isOperated({ projectBindings }: ConsoleNaming, { projectId }: Graph): Promise<boolean> {
  return (await bindingOf(projectBindings, projectId))?.kind !== 'console';
}
