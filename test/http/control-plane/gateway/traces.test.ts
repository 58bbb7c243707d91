import { randomBytes } from 'node:crypto';
import { gzipSync } from 'node:zlib';
import { context, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { JsonTraceSerializer, ProtobufTraceSerializer } from '@opentelemetry/otlp-transformer';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { InMemorySpanExporter, SimpleSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import protobufjs from 'protobufjs';
import { expect, test } from 'vitest';
import { eachRecord } from '../../../../src/domain/collections/records.ts';
import {
  auditExchanges,
  pluginEvents,
} from '../../../../src/domain/control-plane/gateway/runtime-records.ts';
import { answerOf } from '../../service.ts';
import { credential, useGateway } from './gateway.ts';
import { project } from './samples.ts';

const mapped = `agent_${'a'.repeat(32)}`;
const gateway = useGateway({
  CAIRN_TRACE_AGENTS: `mapped-service=${mapped}`,
  CAIRN_MAX_JSON_BYTES: '1000000',
});
const json = 'application/json';
const protobuf = 'application/x-protobuf';

async function post(
  body: Uint8Array | string | null | undefined,
  type = json,
  headers: Record<string, string> = {},
) {
  const authorization = `Bearer ${await credential()}`;
  return await gateway.app.request('http://localhost/v1/traces', {
    method: 'POST',
    headers: { 'content-type': type, authorization, ...headers },
    body: body as Uint8Array<ArrayBuffer>,
  });
}

/** The spans of a program, as the official SDK ends them: the innermost first. */
function traced(resource: Record<string, string>, work: (tracer: Tracer) => void) {
  const exporter = new InMemorySpanExporter();
  const provider = new TracerProvider({
    resource: resourceFromAttributes(resource),
    spanProcessors: [new SimpleSpanProcessor({ exporter })],
  });
  work(provider.getTracer('test'));
  return exporter.getFinishedSpans();
}

async function storedFor(agent: string) {
  const { store } = gateway;
  return {
    exchanges: await Array.fromAsync(eachRecord(store.of(auditExchanges), 'byAgent', [project, agent])),
    events: await Array.fromAsync(eachRecord(store.of(pluginEvents), 'byAgent', [project, agent])),
  };
}

/** An agent that asks a model, calls a tool within a step that is not about AI, and fails at a second model. */
function agentRun(agent: string) {
  const resource = { 'service.name': 'bot', 'cairn.agent_id': agent, 'cairn.project_id': project };
  return traced(resource, (tracer) => {
    const invoke = tracer.startSpan('invoke_agent bot', {
      attributes: { 'gen_ai.operation.name': 'invoke_agent' },
    });
    const inside = trace.setSpan(context.active(), invoke);
    const chat = tracer.startSpan('chat m-1', {}, inside);
    chat.setAttributes({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'm',
      'gen_ai.response.model': 'm-1',
      'gen_ai.usage.input_tokens': 120,
      'gen_ai.usage.output_tokens': 7,
      'gen_ai.input.messages': '[{"role":"user"}]',
    });
    chat.end();
    const step = tracer.startSpan('step', {}, inside);
    const tool = tracer.startSpan('execute_tool search', {}, trace.setSpan(inside, step));
    tool.setAttributes({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'search',
      'gen_ai.tool.call.arguments': '{"q":"x"}',
    });
    tool.end();
    step.end();
    const failed = tracer.startSpan('chat m-2', {}, inside);
    failed.setAttributes({
      'gen_ai.system': 'old',
      'gen_ai.request.model': 'm-2',
      'gen_ai.usage.prompt_tokens': 5,
    });
    failed.setStatus({ code: SpanStatusCode.ERROR });
    failed.end();
    invoke.end();
  });
}

test.each([
  ['JSON', json, JsonTraceSerializer, (bytes: Uint8Array) => bytes, {}],
  ['protobuf with gzip', protobuf, ProtobufTraceSerializer, gzipSync, { 'content-encoding': 'gzip' }],
])(
  'spans of the official SDK in %s become exchanges and events of their agent, once',
  async (_, type, serializer, pack, headers) => {
    const agent = await gateway.agent();
    const body = pack(serializer.serializeRequest([...agentRun(agent)]) as Uint8Array);
    for (let repeat = 0; repeat < 2; repeat += 1) {
      const answer = await post(body, type, headers);
      expect([answer.status, answer.headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
      expect(await answer.text()).toBe(type === json ? '{}' : '');
    }
    const { exchanges, events } = await storedFor(agent);
    const byModel = new Map(exchanges.map((one) => [one.model, one]));
    expect([...byModel.keys()].sort()).toEqual(['m-1', 'm-2', null].sort());
    expect(byModel.get('m-1')).toMatchObject({
      outcome: 'ok',
      inputTokens: 120,
      outputTokens: 7,
      responseBody: null,
    });
    expect(byModel.get('m-1')?.requestBody?.contentType).toBe('application/json');
    expect(byModel.get('m-2')).toMatchObject({ outcome: 'error', inputTokens: 5, outputTokens: null });
    expect(events).toHaveLength(1);
    expect(events[0]).toMatchObject({ kind: 'tool-call', exchangeKey: byModel.get(null)?.exchangeKey });
    expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
      tool: 'search',
      arguments: { q: 'x' },
      outcome: 'ok',
    });
  },
);

test('a tool whose call ends before its agent joins it when it arrives', async () => {
  const agent = await gateway.agent();
  const direct = traced({ 'cairn.agent_id': agent, 'cairn.project_id': project }, (tracer) => {
    const above = tracer.startSpan('chat', { attributes: { 'gen_ai.operation.name': 'chat' } });
    tracer.startSpan('tool', aTool, trace.setSpan(context.active(), above)).end();
    above.end();
  });
  for (const span of direct) await post(JsonTraceSerializer.serializeRequest([span]));
  const { exchanges, events } = await storedFor(agent);
  expect(events.map(({ exchangeKey }) => exchangeKey)).toEqual(exchanges.map((one) => one.exchangeKey));
});

/** Steps of LangGraph without an agent, in the words of OpenInference. */
const aStep = { attributes: { 'openinference.span.kind': 'CHAIN', 'input.value': 'hi' } };
const aTool = { attributes: { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'search' } };

test.each(['one request', 'a request for each span'])(
  'tools without an agent above belong to the outermost step that is known, or to an exchange of their own, in %s',
  async (requests) => {
    const agent = await gateway.agent();
    const spans = traced({ 'cairn.agent_id': agent, 'cairn.project_id': project }, (tracer) => {
      const graph = tracer.startSpan('graph', aStep);
      const step = tracer.startSpan('tools', aStep, trace.setSpan(context.active(), graph));
      tracer.startSpan('search', aTool, trace.setSpan(context.active(), step)).end();
      step.end();
      graph.end();
      tracer.startSpan('alone', aTool).end();
    });
    const batches = requests === 'one request' ? [spans] : spans.map((span) => [span]);
    for (let repeat = 0; repeat < 2; repeat += 1)
      for (const batch of batches)
        expect(await (await post(JsonTraceSerializer.serializeRequest(batch))).text()).toBe('{}');
    const { exchanges, events } = await storedFor(agent);
    const keys = new Map(exchanges.map((one) => [one.exchangeKey, one.sourceId.split('/')[2]]));
    const [search, step, graph, alone] = spans.map((span) => span.spanContext().spanId);
    const called = events.map(({ sourceId, exchangeKey }) => [
      sourceId.split('/')[2],
      keys.get(exchangeKey ?? ''),
    ]);
    const expected = { [search ?? '']: requests === 'one request' ? graph : step, [alone ?? '']: alone };
    expect(Object.fromEntries(called)).toEqual(expected);
    expect(exchanges).toHaveLength(2);
  },
);

test('messages that are events of a span are the bodies of an exchange and the parts of a call', async () => {
  const agent = await gateway.agent();
  const spans = traced({ 'cairn.agent_id': agent, 'cairn.project_id': project }, (tracer) => {
    const chat = tracer.startSpan('chat', { attributes: { 'gen_ai.operation.name': 'chat' } });
    const tool = tracer.startSpan('search', aTool, trace.setSpan(context.active(), chat));
    tool.addEvent('gen_ai.tool.message', { content: '{"q":"x"}' });
    tool.addEvent('gen_ai.choice', { message: 'found' });
    tool.end();
    chat.addEvent('gen_ai.system.message', { content: 'Be nice.' });
    chat.addEvent('gen_ai.user.message', { content: 'Hi' });
    chat.addEvent('gen_ai.choice', { message: 'Hello', finish_reason: 'stop' });
    chat.end();
  });
  await post(JsonTraceSerializer.serializeRequest(spans));
  const { exchanges, events } = await storedFor(agent);
  const size = (messages: object[]) => JSON.stringify(messages).length;
  expect(exchanges[0]).toMatchObject({
    requestBody: {
      size: size([
        { role: 'system', content: 'Be nice.' },
        { role: 'user', content: 'Hi' },
      ]),
    },
    responseBody: { size: size([{ message: 'Hello', finish_reason: 'stop' }]) },
  });
  expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({
    arguments: [{ role: 'tool', content: '{"q":"x"}' }],
    result: [{ message: 'found' }],
  });
});

test('a span that is not accepted stops no other, and the answer says why', async () => {
  const [agent, revoked] = [await gateway.agent(), await gateway.agent({ state: 'revoked' })];
  const chat = (resource: Record<string, string>) =>
    traced({ 'cairn.project_id': project, ...resource }, (tracer) =>
      tracer.startSpan('chat', { attributes: { 'gen_ai.operation.name': 'chat' } }).end(),
    );
  const spans = [
    ...chat({ 'cairn.agent_id': agent }),
    ...chat({ 'cairn.agent_id': revoked }),
    ...chat({ 'service.name': 'unknown' }),
    ...chat({ 'service.name': 'mapped-service' }),
    ...traced({}, (tracer) => tracer.startSpan('GET /').end()),
  ];
  const answer = await answerOf(await post(JsonTraceSerializer.serializeRequest(spans)));
  expect(answer.json.partialSuccess.rejectedSpans).toBe('3');
  expect(answer.json.partialSuccess.errorMessage).toContain(
    'names no agent. Set the attribute cairn.agent_id',
  );
  expect(answer.json.partialSuccess.errorMessage).toContain(`the agent "${revoked}" is revoked`);
  expect(answer.json.partialSuccess.errorMessage).toContain(`there is no agent "${mapped}"`);
  // Exporters such as that for Python do not show the answer.
  expect(gateway.logged.at(-1)).toMatchObject({
    msg: 'Spans were not accepted.',
    ...answer.json.partialSuccess,
  });
  expect((await storedFor(agent)).exchanges).toHaveLength(1);
  expect((await storedFor(revoked)).exchanges).toEqual([]);
});

test.each([json, protobuf])(
  'results of tools that no JSON of a record can hold are kept as text: %s',
  async (type) => {
    const agent = await gateway.agent();
    const results = [
      '{"text":"half of an emoji \\ud83d"}',
      '{"loss":1e999}',
      `${'['.repeat(9_000)}${']'.repeat(9_000)}`,
      Number.NaN,
    ];
    const spans = traced({ 'cairn.agent_id': agent, 'cairn.project_id': project }, (tracer) => {
      const chat = tracer.startSpan('chat', { attributes: { 'gen_ai.operation.name': 'chat' } });
      for (const result of results) {
        const attributes = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': result };
        tracer.startSpan('tool', { attributes }, trace.setSpan(context.active(), chat)).end();
      }
      chat.end();
    });
    const serializer = type === json ? JsonTraceSerializer : ProtobufTraceSerializer;
    expect((await post(serializer.serializeRequest(spans), type)).status).toBe(200);
    const { exchanges, events } = await storedFor(agent);
    expect([exchanges.length, events.length]).toEqual([1, results.length]);
    const kept = events.map(({ detail }) => JSON.parse(detail).result);
    expect(new Set(kept)).toEqual(new Set([...results.slice(0, 3), type === json ? undefined : 'NaN']));
  },
);

test('half of an emoji at the end of a cut text, and the results of tools that are too long, lose no record', async () => {
  const agent = await gateway.agent();
  const spans = traced({ 'cairn.agent_id': agent, 'cairn.project_id': project }, (tracer) => {
    const prompt = 'a \\ud83d and 😀 and half: \ud83d';
    const chat = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.prompt': prompt,
      'gen_ai.request.model': 'm\udc00',
    };
    const asked = tracer.startSpan('chat', { attributes: chat });
    const tool = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.call.result': 'r'.repeat(70_000) };
    const attributes = { ...tool, 'gen_ai.tool.call.arguments': '{"q":1}' };
    tracer.startSpan('tool', { attributes }, trace.setSpan(context.active(), asked)).end();
    asked.end();
  });
  const answer = await answerOf(await post(JsonTraceSerializer.serializeRequest(spans)));
  expect([answer.status, answer.json]).toEqual([200, {}]);
  const { exchanges, events } = await storedFor(agent);
  expect(exchanges).toMatchObject([{ model: 'm\ufffd' }]);
  expect(events).toHaveLength(1);
  expect(JSON.parse(events[0]?.detail ?? '')).toMatchObject({ arguments: { q: 1 }, left_out: ['result'] });
});

test('a span with the id of another and other content is refused, and the first one stays', async () => {
  const agent = await gateway.agent();
  const span = {
    traceId: 'ab'.repeat(16),
    spanId: 'cd'.repeat(8),
    startTimeUnixNano: '1000000000',
    endTimeUnixNano: '2000000000',
  };
  const of = (model: string) => {
    const told = {
      'cairn.agent_id': agent,
      'cairn.project_id': project,
      'gen_ai.operation.name': 'chat',
      'gen_ai.request.model': model,
    };
    const attributes = Object.entries(told).map(([key, stringValue]) => ({ key, value: { stringValue } }));
    return JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans: [{ ...span, attributes }] }] }] });
  };
  await post(of('first'));
  const { json: answer } = await answerOf(await post(of('second')));
  expect(answer.partialSuccess.errorMessage).toContain('has other content');
  expect((await storedFor(agent)).exchanges.map(({ model }) => model)).toEqual(['first']);
});

test.each([
  ['garbage as protobuf', protobuf, randomBytes(200), {}, 400],
  [
    'a cut protobuf',
    protobuf,
    (ProtobufTraceSerializer.serializeRequest([...agentRun('a')]) ?? new Uint8Array()).slice(0, -3),
    {},
    400,
  ],
  ['garbage as gzip', json, 'no gzip', { 'content-encoding': 'gzip' }, 400],
  ['a zip bomb', json, gzipSync(Buffer.alloc(2_000_000, ' ')), { 'content-encoding': 'gzip' }, 413],
  ['another encoding', json, '{}', { 'content-encoding': 'br' }, 415],
  ['another type', 'text/plain', '{}', {}, 415],
  ['no JSON', json, '{', {}, 400],
])('%s is refused', async (_, type, body, headers, status) => {
  expect((await post(body, type, headers)).status).toBe(status);
});

test('errors are a google.rpc.Status in protobuf for who sends protobuf, and JSON for others', async () => {
  const status = protobufjs
    .parse('syntax = "proto3"; message Status { int32 code = 1; string message = 2; }')
    .root.lookupType('Status');
  const read = async (answer: Response) => {
    const { code, message } = status.toObject(status.decode(new Uint8Array(await answer.arrayBuffer())));
    return [answer.status, answer.headers.get('content-type'), code, message];
  };
  const garbage = Buffer.from('garbage');
  expect(await read(await post(garbage, protobuf))).toEqual([
    400,
    protobuf,
    3,
    expect.stringMatching(/no OTLP/),
  ]);
  const foreign = await post(garbage, protobuf, { authorization: 'Bearer x' });
  expect(await read(foreign)).toEqual([401, protobuf, 16, expect.any(String)]);
  expect(foreign.headers.get('www-authenticate')).toContain('Bearer');
  const answer = await post('{', json);
  expect([answer.status, await answer.json()]).toMatchObject([400, { error: expect.any(String) }]);
});

test('JSON of another shape reports nothing and breaks nothing', async () => {
  for (const body of [
    '[]',
    '{"resourceSpans": 5}',
    '{"resourceSpans": [{"scopeSpans": [{"spans": [null, {}, {"traceId": 5}]}]}]}',
  ]) {
    const answer = await answerOf(await post(body));
    expect(answer.status).toBe(200);
    expect(answer.json.partialSuccess?.rejectedSpans ?? '0').toMatch(/^[02]$/);
  }
});

test('traces need a credential with the scopes of what they report', async () => {
  const request = { method: 'POST', headers: { 'content-type': json }, body: '{}' };
  expect((await gateway.app.request('http://localhost/v1/traces', request)).status).toBe(401);
  for (const scope of ['state-records', 'audit-exchanges'] as const) {
    const authorization = `Bearer ${await credential([scope])}`;
    const headers = { ...request.headers, authorization };
    expect((await gateway.app.request('http://localhost/v1/traces', { ...request, headers })).status).toBe(
      403,
    );
  }
});
