import type { JsonObject } from '../../json/is-object.ts';

/**
 * What Cairn reads in a span: the attributes of the OpenTelemetry conventions for generative AI, and of the libraries that have
 * conventions of their own. They still change. So each row has all names, the newest first, with the version of the conventions,
 * or the library, that brought it. Add a name; remove none, because older SDKs stay in use.
 */
export const conventions = {
  operation: [
    ['gen_ai.operation.name', '1.27'],
    ['openinference.span.kind', 'OpenInference'],
    ['ai.operationId', 'AI SDK'],
    ['traceloop.span.kind', 'OpenLLMetry'],
  ],
  provider: [
    ['gen_ai.provider.name', '1.37'],
    ['gen_ai.system', '1.26'],
  ],
  /** What answered comes before what was asked for. */
  model: [
    ['gen_ai.response.model', '1.26'],
    ['gen_ai.request.model', '1.26'],
    ['llm.model_name', 'OpenInference'],
    ['embedding.model_name', 'OpenInference'],
    ['ai.response.model', 'AI SDK'],
    ['ai.model.id', 'AI SDK'],
  ],
  inputTokens: [
    ['gen_ai.usage.input_tokens', '1.27'],
    ['gen_ai.usage.prompt_tokens', '1.26'],
    ['llm.token_count.prompt', 'OpenInference'],
  ],
  outputTokens: [
    ['gen_ai.usage.output_tokens', '1.27'],
    ['gen_ai.usage.completion_tokens', '1.26'],
    ['llm.token_count.completion', 'OpenInference'],
  ],
  input: [
    ['gen_ai.input.messages', '1.37'],
    ['gen_ai.prompt', '1.26'],
    ['input.value', 'OpenInference'],
    ['ai.prompt.messages', 'AI SDK'],
    ['ai.prompt', 'AI SDK'],
    ['traceloop.entity.input', 'OpenLLMetry'],
    ['gcp.vertex.agent.llm_request', 'Google ADK'],
  ],
  output: [
    ['gen_ai.output.messages', '1.37'],
    ['gen_ai.completion', '1.26'],
    ['output.value', 'OpenInference'],
    ['ai.response.text', 'AI SDK'],
    ['ai.response.toolCalls', 'AI SDK'],
    ['ai.response.object', 'AI SDK'],
    ['traceloop.entity.output', 'OpenLLMetry'],
    ['gcp.vertex.agent.llm_response', 'Google ADK'],
  ],
  agent: [['gen_ai.agent.id', '1.31']],
  tool: [
    ['gen_ai.tool.name', '1.31'],
    ['tool.name', 'OpenInference'],
    ['ai.toolCall.name', 'AI SDK'],
    ['traceloop.entity.name', 'OpenLLMetry'],
  ],
  toolCall: [
    ['gen_ai.tool.call.id', '1.31'],
    ['ai.toolCall.id', 'AI SDK'],
  ],
  toolType: [['gen_ai.tool.type', '1.33']],
  toolArguments: [
    ['gen_ai.tool.call.arguments', '1.38'],
    ['input.value', 'OpenInference'],
    ['ai.toolCall.args', 'AI SDK'],
    ['tool_arguments', 'Pydantic AI'],
    ['traceloop.entity.input', 'OpenLLMetry'],
    ['gcp.vertex.agent.tool_call_args', 'Google ADK'],
  ],
  toolResult: [
    ['gen_ai.tool.call.result', '1.38'],
    ['output.value', 'OpenInference'],
    ['ai.toolCall.result', 'AI SDK'],
    ['tool_response', 'Pydantic AI'],
    ['traceloop.entity.output', 'OpenLLMetry'],
    ['gcp.vertex.agent.tool_response', 'Google ADK'],
  ],
  error: [['error.type', '1.20']],
} as const satisfies Readonly<Record<string, readonly (readonly [name: string, since: string])[]>>;

export type Meaning = keyof typeof conventions;

export type Attributes = ReadonlyMap<string, unknown>;

/** The value of the newest name that a span has; undefined if it has none. */
export function toldBy(attributes: Attributes, meaning: Meaning): unknown {
  for (const [name] of conventions[meaning]) {
    const value = attributes.get(name);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
}

/** The messages that OpenLLMetry spread over attributes, such as `gen_ai.prompt.0.content`, in order; undefined if there is none. */
export function messagesIn(attributes: Attributes, prefix: string): JsonObject[] | undefined {
  const messages = new Map<number, JsonObject>();
  for (const [name, value] of attributes) {
    const [, index, member] = name.startsWith(prefix)
      ? (/^\.(\d+)\.(.+)$/.exec(name.slice(prefix.length)) ?? [])
      : [];
    if (index === undefined || member === undefined) continue;
    const message = messages.get(Number(index)) ?? {};
    messages.set(Number(index), { ...message, [member]: value });
  }
  if (messages.size === 0) return undefined;
  return [...messages].sort(([one], [other]) => one - other).map(([, message]) => message);
}

/** What the conventions call the call of a tool. */
const toolOperations: ReadonlySet<unknown> = new Set(['execute_tool', 'TOOL', 'ai.toolCall', 'tool']);

/** Steps of a program, which are neither a model, nor an agent, nor a tool. */
const steps: ReadonlySet<unknown> = new Set(
  'execute_task workflow task CHAIN RETRIEVER RERANKER GUARDRAIL EVALUATOR PROMPT UNKNOWN'.split(' '),
);

export function isTool(attributes: Attributes): boolean {
  return toolOperations.has(toldBy(attributes, 'operation'));
}

/** Whether a span is about a model, an agent or a tool. Calls of models had no operation in version 1.26. */
export function isAboutAi(attributes: Attributes): boolean {
  const operation = toldBy(attributes, 'operation');
  if (operation !== undefined) return !steps.has(operation);
  return toldBy(attributes, 'provider') !== undefined && toldBy(attributes, 'model') !== undefined;
}
