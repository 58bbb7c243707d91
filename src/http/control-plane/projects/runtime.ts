import { projectAgentParams } from '../../../contract/control-plane/projects.ts';
import {
  childParams,
  exchange,
  exchangeList,
  exchangeParams,
  exchangeQuery,
  pluginEventList,
  recordQuery,
  seriesAnswer,
  seriesParameters,
  stateList,
  stateParams,
} from '../../../contract/control-plane/runtime-records.ts';
import { rangeOf } from '../../../contract/parameters.ts';
import { bytes } from '../../../contract/values.ts';
import type { Bucket } from '../../../domain/bucket.ts';
import {
  attestationIn,
  bodyIn,
  childBlobIn,
  exchangeIn,
  listExchanges,
  listPluginEvents,
  listStates,
  type RuntimeRecords,
} from '../../../domain/control-plane/projects/runtime-reads.ts';
import {
  type ExchangeSeries,
  seriesQuery,
  timeSeries,
} from '../../../domain/control-plane/projects/time-series.ts';
import { jsonOf, pageRequest } from '../../answering.ts';
import { isoTime, jsonAnswer } from '../../answers.ts';
import { type ControlPlaneApp, operation } from '../operation.ts';
import { projectAgentRoutes, tag } from './project-agents.ts';
import { enterRuntime, noAgent, type ProjectPorts, severalAgents } from './project-calls.ts';
import { exchangeJson, jsonOfEvents, sealedAnswer, stateJson } from './runtime-json.ts';

export interface RuntimePorts extends ProjectPorts, RuntimeRecords {
  readonly sealedContents: Pick<Bucket, 'read'>;
  readonly exchangeSeries: ExchangeSeries;
  readonly now: () => Date;
}

const errors = { 404: noAgent, 409: severalAgents };
const download = {
  200: { description: 'The bytes, as a download', content: { '*/*': { schema: bytes } } },
  ...errors,
};
const shortPages =
  'The oldest comes first, unless order says otherwise. A page ends at about 2 MiB, so it may be shorter than its limit, or empty. The last page has no next_cursor.';

/** Everything below /v1/projects: the agents of a project, and what each did there. */
export function projectRoutes(app: ControlPlaneApp, ports: RuntimePorts): void {
  projectAgentRoutes(app, ports);
  const base = '/v1/projects/{project_uuid}/agents/{agent_id}';

  operation(app, `GET ${base}/audit-exchanges`, {
    access: 'project',
    tag,
    summary: 'List the exchanges of an agent by their time',
    description: shortPages,
    params: projectAgentParams,
    query: exchangeQuery,
    answers: { 200: jsonAnswer('A page of exchanges', exchangeList), ...errors },
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const { outcome = null, model = null } = call.query;
      const filter = { ...rangeOf(call.query), outcome, model };
      const page = await listExchanges(ports, scope, filter, pageRequest(call.query));
      return await call.answerList('audit_exchanges', jsonOf(page.records, exchangeJson), page);
    },
  });

  operation(app, `GET ${base}/audit-exchanges/timeseries`, {
    access: 'project',
    tag,
    summary: 'Count the exchanges of an agent by time',
    description:
      'Buckets start at whole minutes, hours or days in UTC; those without exchanges count zero. Percentiles are by nearest rank, and null if no exchange of the bucket has a duration. At most 2,000 buckets. Default: the day before "before", which is now.',
    params: projectAgentParams,
    query: seriesParameters,
    answers: { 200: jsonAnswer('The buckets in order', seriesAnswer), ...errors },
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const { interval, ...range } = call.query;
      const query = seriesQuery({ interval, ...rangeOf(range) }, ports.now().getTime());
      const buckets = await timeSeries(ports.exchangeSeries, scope, query);
      const shown = buckets.map(({ start, p50: p50_ms, p99: p99_ms, ...counts }) => {
        return { start: isoTime(start), ...counts, p50_ms, p99_ms };
      });
      return call.answer(200, { buckets: shown });
    },
  });

  operation(app, `GET ${base}/audit-exchanges/{exchange_key}`, {
    access: 'project',
    tag,
    summary: 'Show an exchange',
    params: exchangeParams,
    answers: { 200: jsonAnswer('The exchange', exchange), ...errors },
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      return call.answer(200, exchangeJson(await exchangeIn(ports, scope, call.params.exchange_key)));
    },
  });

  for (const side of ['request', 'response'] as const)
    operation(app, `GET ${base}/audit-exchanges/{exchange_key}/${side}-body`, {
      access: 'project',
      tag,
      summary: `Read the ${side} body of an exchange`,
      params: exchangeParams,
      answers: download,
      handle: async (call) => {
        const scope = await enterRuntime(ports, call);
        const body = await bodyIn(ports, scope, call.params.exchange_key, side);
        const name = `exchange-${call.params.exchange_key}-${side}`;
        const { contentType } = body;
        return await sealedAnswer(call.context, ports.sealedContents, body, { name, contentType });
      },
    });

  operation(app, `GET ${base}/plugin-events`, {
    access: 'project',
    tag,
    summary: 'List the plugin events of an agent by their time',
    description: `An event is shown once its exchange is known. ${shortPages}`,
    params: projectAgentParams,
    query: recordQuery,
    answers: { 200: jsonAnswer('A page of events', pluginEventList), ...errors },
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const page = await listPluginEvents(ports, scope, rangeOf(call.query), pageRequest(call.query));
      return await call.answerList('plugin_events', jsonOfEvents(page.records), page);
    },
  });

  operation(app, `GET ${base}/state-cids`, {
    access: 'project',
    tag,
    summary: 'List the states of an agent by their time',
    description: `A state is shown once its exchange is known. ${shortPages}`,
    params: projectAgentParams,
    query: recordQuery,
    answers: { 200: jsonAnswer('A page of states', stateList), ...errors },
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const page = await listStates(ports, scope, rangeOf(call.query), pageRequest(call.query));
      return await call.answerList('states', jsonOf(page.records, stateJson), page);
    },
  });

  operation(app, `GET ${base}/state-cids/{state_cid}/blob`, {
    access: 'project',
    tag,
    summary: 'Read the attestation of a state',
    params: stateParams,
    answers: download,
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const body = await attestationIn(ports, scope, call.params.state_cid);
      const name = `state-${call.params.state_cid}`;
      const { contentType } = body;
      return await sealedAnswer(call.context, ports.sealedContents, body, { name, contentType });
    },
  });

  operation(app, `GET ${base}/state-cids/{state_cid}/blobs/{cid}`, {
    access: 'project',
    tag,
    summary: 'Read a blob that the attestation of a state references directly',
    params: childParams,
    answers: download,
    handle: async (call) => {
      const scope = await enterRuntime(ports, call);
      const { state_cid: stateCid, cid } = call.params;
      const part = await childBlobIn(ports, scope, stateCid, cid);
      return await sealedAnswer(call.context, ports.sealedContents, part, { name: cid });
    },
  });
}
