/**
 * What Cairn reads in a span, by the attributes of the OpenTelemetry conventions for generative AI. They still change. So
 * each row has all names, the newest first, with the version of the conventions that brought it. Add a name; remove none,
 * because older SDKs stay in use.
 */
export const conventions = {
  operation: [['gen_ai.operation.name', '1.27']],
  provider: [
    ['gen_ai.provider.name', '1.37'],
    ['gen_ai.system', '1.26'],
  ],
  /** What answered comes before what was asked for. */
  model: [
    ['gen_ai.response.model', '1.26'],
    ['gen_ai.request.model', '1.26'],
  ],
  inputTokens: [
    ['gen_ai.usage.input_tokens', '1.27'],
    ['gen_ai.usage.prompt_tokens', '1.26'],
  ],
  outputTokens: [
    ['gen_ai.usage.output_tokens', '1.27'],
    ['gen_ai.usage.completion_tokens', '1.26'],
  ],
  input: [
    ['gen_ai.input.messages', '1.37'],
    ['gen_ai.prompt', '1.26'],
  ],
  output: [
    ['gen_ai.output.messages', '1.37'],
    ['gen_ai.completion', '1.26'],
  ],
  agent: [['gen_ai.agent.id', '1.31']],
  tool: [['gen_ai.tool.name', '1.31']],
  toolCall: [['gen_ai.tool.call.id', '1.31']],
  toolType: [['gen_ai.tool.type', '1.33']],
  toolArguments: [['gen_ai.tool.call.arguments', '1.38']],
  toolResult: [['gen_ai.tool.call.result', '1.38']],
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

/** The name of a tool's call as an operation. */
export const toolOperation = 'execute_tool';

/** Whether a span follows the conventions. Those of version 1.26 had no operation. */
export function isAboutAi(attributes: Attributes): boolean {
  return toldBy(attributes, 'operation') !== undefined || toldBy(attributes, 'provider') !== undefined;
}
