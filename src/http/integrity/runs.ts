import {
  type RunAnswer,
  type RunDetailsAnswer,
  runDetails,
  runParams,
  runQuery,
  runs,
  runsQuery,
} from '../../contract/integrity/runs.ts';
import { trustAnswer } from '../../contract/sentences.ts';
import { known, type Principal } from '../../domain/access/access.ts';
import { isVisible } from '../../domain/access/visibility.ts';
import { ServiceError } from '../../domain/errors.ts';
import { scopeFor } from '../../domain/integrity/access/statement-scope.ts';
import { parseCid } from '../../domain/integrity/identifiers/cid.ts';
import type { GraphStore, StatementScope } from '../../domain/integrity/ports.ts';
import { findRun, listRuns, type Run, type RunPorts, runBefore } from '../../domain/integrity/runs/runs.ts';
import type { App } from '../../platform/http/app.ts';
import { jsonOf, pageRequest } from '../answering.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { operation } from './operation.ts';

interface RunRoutes extends RunPorts {
  readonly graphs: Pick<GraphStore, 'get'>;
}

const tag = 'Runs';
const graphsNamed = 10;

export function runRoutes(app: App, ports: RunRoutes): void {
  operation(app, 'GET /runs/v1', {
    access: known,
    tag,
    summary: 'List runs, newest first',
    description:
      'A run is a ComputationRegistration with what its registrant says about it. The run that was stored last comes first; with name, the runs are sorted by name, and the newest of a name comes first. A page may be shorter than its limit, or empty, if many rows had to be skipped. The last page has no next_cursor.',
    query: runsQuery,
    answers: {
      200: jsonAnswer('A page of runs', runs),
      404: errorAnswer('The graph does not exist'),
    },
    handle: async ({ answerList, principal, query }) => {
      const scope = await scopeOf(ports, principal, query);
      const page = await listRuns(ports, query.name ?? null, pageRequest(query), scope);
      const graphs = await graphsOf(ports, page.runs);
      return await answerList(
        'runs',
        jsonOf(page.runs, (run) => runJson(run, graphs)),
        page,
      );
    },
  });

  operation(app, 'GET /runs/v1/{id}', {
    access: known,
    tag,
    summary: 'Read a run with its parameters and metrics',
    description:
      'Everything that the registrant of a ComputationRegistration says about its run in the document that "cairn record" writes. Documents of others do not count. Members that nobody has stated are null.',
    params: runParams,
    query: runQuery,
    answers: {
      200: jsonAnswer('The run', runDetails),
      404: errorAnswer('There is no such computation, or the graph does not exist'),
    },
    handle: async ({ answer, principal, params, query }) => {
      const scope = await scopeFor(ports.graphs, principal, query.graph_id ?? null);
      const { text } = parseCid(params.id);
      const run = await findRun(ports, text, scope);
      if (!run) throw new ServiceError('not_found', `There is no computation ${text} that you may see.`);
      const before = await runBefore(ports, run, scope);
      return answer(200, detailsJson(run, await graphsOf(ports, [run]), before));
    },
  });
}

async function scopeOf(
  { graphs }: RunRoutes,
  principal: Principal,
  { graph_id, project_id }: { graph_id?: string | undefined; project_id?: string | undefined },
): Promise<StatementScope> {
  const graphId = graph_id ?? null;
  const scope = await scopeFor(graphs, principal, graphId);
  if (project_id === undefined) return scope;
  const visibility = graphId === null ? await principal.grants.visible(project_id) : scope.visibility;
  const projects = new Set(isVisible(project_id, visibility) ? [project_id] : []);
  return { graphId, visibility: { projects } };
}

type GraphNames = ReadonlyMap<string, string>;

async function graphsOf({ graphs }: RunRoutes, some: readonly Run[]): Promise<GraphNames> {
  const ids = new Set(some.flatMap(({ statement }) => statement.graphIds.slice(0, graphsNamed)));
  const found = await Promise.all(ids.values().map(async (id) => await graphs.get(id)));
  return new Map(found.flatMap((graph) => (graph ? [[graph.graphId, graph.name]] : [])));
}

function runJson(run: Run, names: GraphNames): RunAnswer {
  const { id, name, result, by, program, inputs, outputs, statement } = run;
  const { started, duration, command, exit_code, signal } = run.facts ?? {};
  const { time, graphIds, isTrusted } = statement;
  return {
    id,
    name,
    started: started ?? null,
    timestamp: time === null ? null : new Date(time).toISOString(),
    duration: duration ?? null,
    command: command ?? null,
    result,
    exit_code: exit_code ?? null,
    signal: signal ?? null,
    by: [...by],
    program,
    input_count: run.inputCount,
    output_count: run.outputCount,
    inputs: [...inputs],
    outputs: [...outputs],
    trust: trustAnswer(run.trust),
    graphs: graphIds.flatMap((one) => (names.has(one) ? [{ id: one, name: names.get(one) ?? '' }] : [])),
    ...(!isTrusted && { unverified: true as const }),
  };
}

function detailsJson(run: Run, names: GraphNames, before: string | null): RunDetailsAnswer {
  const { error, parameters, metrics, environment, git, metadata } = run.facts ?? {};
  const { description } = run;
  return {
    ...runJson(run, names),
    jcs_cid: run.statement.jcsCid.text,
    error: error ?? null,
    parameters: parameters ?? [],
    metrics: metrics ?? null,
    environment: environment ?? null,
    git: git ?? null,
    metadata: metadata ?? null,
    description: description ? { ...description, trust: trustAnswer(description.trust) } : null,
    before,
  };
}
