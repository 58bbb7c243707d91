import type { Context } from 'hono';
import { type ConsoleNaming, projectNames } from '../../../domain/control-plane/console-names.ts';
import type { AuditExchange } from '../../../domain/control-plane/gateway/runtime-records.ts';
import type { KnownCaller } from '../../../domain/control-plane/known-caller.ts';
import { projectsOf, resolvedAgent } from '../../../domain/control-plane/projects/evidence.ts';
import { authorizeProjectRead } from '../../../domain/control-plane/projects/project-access.ts';
import {
  type ExchangeParts,
  exchangeIn,
  exchangeParts,
  listExchanges,
  listStates,
  type RuntimeRecords,
  type RuntimeScope,
  runtimeScope,
} from '../../../domain/control-plane/projects/runtime-reads.ts';
import {
  type Interval,
  intervals,
  type SeriesQuery,
  seriesQuery,
} from '../../../domain/control-plane/projects/time-series.ts';
import { parseUuid, uuidIn } from '../../../domain/integrity/identifiers/identifiers.ts';
import { parseTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import { bearerOf } from '../../../platform/tokens/bearer-attempts.ts';
import { type ActivitySearch, activity, type Range } from '../../../ui/console/activity.ts';
import type { ExchangeView } from '../../../ui/console/exchange-page.ts';
import type { Html } from '../../../ui/header.ts';
import type { ProjectPorts } from '../projects/project-calls.ts';

export interface ActivityPorts extends ProjectPorts, RuntimeRecords {
  readonly now: () => Date;
}

type NamedActivityPorts = ActivityPorts & Pick<ConsoleNaming, 'graphs'>;

/** What a page of the console is asked for, and by whom. */
export interface Call {
  readonly context: Context;
  readonly caller: KnownCaller;
  readonly query: Readonly<Record<string, string>>;
}

const { hour, day } = intervals;
const rangeSpans: Readonly<Record<Range, number>> = {
  hour,
  day,
  week: 7 * day,
  month: 30 * day,
  year: 365 * day,
};
const usualRange: Range = 'week';
const rowsOnPage = 25;

/**
 * What an agent did in the chosen project, else in its first one, for administrators.
 * @throws ServiceError `forbidden`; `invalid_request` for a cursor of another list.
 */
export async function agentActivity(ports: NamedActivityPorts, call: Call, agentId: string): Promise<Html> {
  const projects = await projectsOf(ports, agentId);
  const { operated } = projects;
  const project =
    operated.find(({ projectUuid }) => projectUuid === uuidIn(call.query.project ?? '')) ?? operated[0];
  const projectUuids = operated.map(({ projectUuid }) => projectUuid);
  const names = await projectNames(ports, projectUuids);
  if (!project) return activity({ agentId, projects, names, chosen: undefined });
  const scope = await enter(ports, call, project.projectUuid, agentId);
  const found = await exchangesIn(ports, scope, call.query);
  return activity({ agentId, projects, names, chosen: { project, ...found } });
}

/** @throws ServiceError `unauthorized`, `forbidden`, `not_found`, `unavailable`. */
export async function agentExchange(
  ports: NamedActivityPorts,
  call: Call,
  { id, project: given, key }: { readonly id: string; readonly project: string; readonly key: string },
): Promise<Pick<ExchangeView, 'exchange' | 'project' | 'projectName'> & { readonly parts: ExchangeParts }> {
  const project = parseUuid(given, 'The project');
  const scope = await enter(ports, call, project, id);
  const exchange = await exchangeIn(ports, scope, key);
  const projectName = (await projectNames(ports, [project])).get(project);
  return { project, projectName, exchange, parts: await exchangeParts(ports, scope, key) };
}

/** The same rules as below /v1/projects. */
async function enter(ports: ActivityPorts, { context, caller }: Call, project: string, agentId: string) {
  const bearer = () => bearerOf(context.req.header('authorization'));
  await authorizeProjectRead(ports, { role: caller.role, bearer }, project);
  const { agent } = await resolvedAgent(ports, project, agentId);
  return runtimeScope(project, agent.id);
}

async function exchangesIn(ports: ActivityPorts, scope: RuntimeScope, query: Call['query']) {
  const search = searchIn(query, ports.now().getTime());
  const { from, until } = search.span;
  const filter = { from, until, outcome: search.outcome, model: search.model === '' ? null : search.model };
  const request = { after: query.cursor ?? null, limit: rowsOnPage, order: 'descending' } as const;
  const [exchanges, states] = await Promise.all([
    listExchanges(ports, scope, filter, request),
    listStates(ports, scope, { from, until }, { ...request, after: null }),
  ]);
  return { search, exchanges, states };
}

const outcomes: readonly AuditExchange['outcome'][] = ['ok', 'error', 'denied'];

function searchIn(query: Call['query'], now: number): ActivitySearch {
  const outcome = outcomes.find((one) => one === query.outcome) ?? null;
  const model = (query.model ?? '').trim();
  const [from, until] = [parseTime(query.from ?? ''), parseTime(query.to ?? '')];
  const named = (Object.keys(rangeSpans) as Range[]).find((one) => one === query.range);
  if (named === undefined && from !== null && until !== null)
    return { range: null, span: spanOf(from, until, now), outcome, model };
  const range = named ?? usualRange;
  return { range, span: spanOf(now - rangeSpans[range], now, now), outcome, model };
}

/** The span with buckets that are short, but not too many. */
function spanOf(from: number, until: number, now: number): SeriesQuery {
  const length = until - from;
  const interval: Interval = length <= 2 * hour ? 'minute' : length <= 14 * day ? 'hour' : 'day';
  return seriesQuery({ from, until, interval }, now);
}
