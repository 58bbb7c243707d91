import { expect, test } from 'vitest';
import { conventions } from '../../../../src/domain/control-plane/traces/conventions.ts';
import { reportsOf } from '../../../../src/domain/control-plane/traces/reports.ts';
import type { Span } from '../../../../src/domain/control-plane/traces/spans.ts';

const traceId = 'ab'.repeat(16);

/** A span with its name as id, inside another one. */
function span(id: string, parentId: string | null, attributes: Record<string, unknown>): Span {
  const resource = new Map([['cairn.agent_id', `agent_${'a'.repeat(32)}`]]);
  const times = { start: 1, end: 2, hasFailed: false };
  return {
    traceId,
    id,
    parentId,
    name: id,
    ...times,
    attributes: new Map(Object.entries(attributes)),
    resource,
  };
}

/** What spans report, without what all reports have. */
function told(spans: readonly Span[]) {
  const text = (body: { base64: string } | null) => body && Buffer.from(body.base64, 'base64').toString();
  return [...reportsOf(spans, new Map())].map((report) => {
    if ('reason' in report) return report;
    if ('event' in report) {
      const { exchangeSourceId, detail } = report.event;
      const { outcome: _, duration_ms: __, ...called } = detail;
      return { tool: called, in: exchangeSourceId?.split('/').at(-1) };
    }
    const { sourceId, model, inputTokens, outputTokens, requestBody, responseBody } = report.exchange;
    const bodies = [text(requestBody), text(responseBody)];
    return { id: sourceId.split('/').at(-1), model, tokens: [inputTokens, outputTokens], bodies };
  });
}

test('OpenInference: models, agents and tools are reported, and chains are steps', () => {
  const kind = (value: string) => ({ 'openinference.span.kind': value });
  const model = {
    ...kind('LLM'),
    'llm.system': 'openai',
    'llm.model_name': 'gpt',
    'llm.token_count.prompt': 12,
    'llm.token_count.completion': 6,
    'input.value': '[{"role":"user"}]',
    'output.value': 'Hello',
  };
  const tool = {
    ...kind('TOOL'),
    'tool.name': 'weather',
    'input.value': '{"city":"Bern"}',
    'output.value': 'sunny',
  };
  const spans = [
    span('model', 'turn', model),
    span('tool', 'turn', tool),
    span('turn', 'agent', kind('CHAIN')),
    span('agent', null, kind('AGENT')),
  ];
  expect(told(spans)).toEqual([
    { id: 'model', model: 'gpt', tokens: [12, 6], bodies: ['[{"role":"user"}]', 'Hello'] },
    { tool: { tool: 'weather', arguments: { city: 'Bern' }, result: 'sunny' }, in: 'agent' },
    { id: 'agent', model: null, tokens: [null, null], bodies: [null, null] },
  ]);
});

test('AI SDK: calls of models have their bodies, tools are in the run, and the tokens of the run do not count twice', () => {
  const call = {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.model.id': 'gpt',
    'ai.prompt.messages': '[{"role":"user"}]',
    'ai.response.text': 'Hello',
    'gen_ai.system': 'openai.chat',
    'gen_ai.request.model': 'gpt',
    'gen_ai.response.model': 'gpt-1',
    'gen_ai.usage.input_tokens': 12,
    'gen_ai.usage.output_tokens': 6,
  };
  const tool = {
    'ai.operationId': 'ai.toolCall',
    'ai.toolCall.name': 'weather',
    'ai.toolCall.id': 'call_1',
    'ai.toolCall.args': '{"city":"Bern"}',
    'ai.toolCall.result': '{"sky":"blue"}',
  };
  const run = {
    'ai.operationId': 'ai.generateText',
    'ai.model.id': 'gpt',
    'ai.prompt': '{"prompt":"Hi"}',
    'ai.response.text': 'Hello',
    'ai.usage.inputTokens': 24,
  };
  expect(told([span('call', 'run', call), span('tool', 'run', tool), span('run', null, run)])).toEqual([
    { id: 'call', model: 'gpt-1', tokens: [12, 6], bodies: ['[{"role":"user"}]', 'Hello'] },
    {
      tool: { tool: 'weather', call: 'call_1', arguments: { city: 'Bern' }, result: { sky: 'blue' } },
      in: 'run',
    },
    { id: 'run', model: 'gpt', tokens: [null, null], bodies: ['{"prompt":"Hi"}', 'Hello'] },
  ]);
});

test('OpenLLMetry: decorated agents and tools are reported, workflows and tasks are steps', () => {
  const kind = (value: string, name: string) => ({
    'traceloop.span.kind': value,
    'traceloop.entity.name': name,
  });
  const task = {
    ...kind('task', 'model'),
    'gen_ai.provider.name': 'langgraph',
    'gen_ai.operation.name': 'execute_task',
  };
  const tool = { ...kind('tool', 'weather'), 'traceloop.entity.input': '{"city":"Bern"}' };
  const spans = [
    span('tool', 'task', tool),
    span('task', 'agent', task),
    span('agent', 'workflow', kind('agent', 'bot')),
    span('workflow', null, kind('workflow', 'w')),
  ];
  expect(told(spans)).toEqual([
    { tool: { tool: 'weather', arguments: { city: 'Bern' } }, in: 'agent' },
    { id: 'agent', model: null, tokens: [null, null], bodies: [null, null] },
  ]);
});

test('messages that are spread over attributes are bodies, in order', () => {
  const spread = {
    'gen_ai.system': 'OpenAI',
    'gen_ai.request.model': 'gpt',
    'gen_ai.prompt.10.content': 'last',
    'gen_ai.prompt.2.role': 'user',
    'gen_ai.prompt.2.content': 'first',
    'gen_ai.completion.0.content': 'Hello',
  };
  expect(told([span('call', null, spread)])).toMatchObject([
    { bodies: ['[{"role":"user","content":"first"},{"content":"last"}]', '[{"content":"Hello"}]'] },
  ]);
});

test('Google ADK: what models and tools were sent and answered is kept', () => {
  const model = {
    'gen_ai.system': 'gcp.vertex.agent',
    'gen_ai.request.model': 'gemini',
    'gcp.vertex.agent.llm_request': '{"model":"gemini"}',
    'gcp.vertex.agent.llm_response': '{"content":"Hello"}',
  };
  const tool = {
    'gen_ai.operation.name': 'execute_tool',
    'gen_ai.tool.name': 'weather',
    'gcp.vertex.agent.tool_call_args': '{"city":"Bern"}',
    'gcp.vertex.agent.tool_response': '{"result":"sunny"}',
  };
  expect(told([span('tool', 'model', tool), span('model', null, model)])).toEqual([
    { tool: { tool: 'weather', arguments: { city: 'Bern' }, result: { result: 'sunny' } }, in: 'model' },
    {
      id: 'model',
      model: 'gemini',
      tokens: [null, null],
      bodies: ['{"model":"gemini"}', '{"content":"Hello"}'],
    },
  ]);
});

test('a span that names a provider, and neither an operation nor a model, is a step', () => {
  expect(told([span('turn', null, { 'gen_ai.system': 'openai' })])).toEqual([]);
});

test('each name of the conventions stands once in its row', () => {
  for (const row of Object.values(conventions)) {
    const names = row.map(([name]) => name);
    expect(new Set(names).size).toBe(names.length);
  }
});
