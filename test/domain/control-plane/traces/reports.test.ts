import { expect, test } from 'vitest';
import { reportsOf } from '../../../../src/domain/control-plane/traces/reports.ts';
import type { Span } from '../../../../src/domain/control-plane/traces/spans.ts';

const agent = `agent_${'a'.repeat(32)}`;

/** A span in the one before it. */
function nested(at: number, operation: string): Span {
  const id = (number: number) => number.toString(16).padStart(16, '0');
  return {
    traceId: 'ab'.repeat(16),
    id: id(at + 1),
    parentId: at === 0 ? null : id(at),
    name: operation,
    start: 1,
    end: 2,
    hasFailed: false,
    attributes: new Map([['gen_ai.operation.name', operation]]),
    resource: new Map([['cairn.agent_id', agent]]),
  };
}

function exchangesOf(spans: readonly Span[]): unknown[] {
  return [...reportsOf(spans, new Map())].flatMap((report) =>
    'event' in report ? [report.event.exchangeSourceId] : [],
  );
}

test('tools that call tools, many deep, belong to the exchange at their top', () => {
  const tools = Array.from({ length: 5_000 }, (_, at) => nested(at + 1, 'execute_tool'));
  const top = `otlp/${'ab'.repeat(16)}/0000000000000001`;
  // Exporters send the innermost first.
  expect(new Set(exchangesOf([...tools.toReversed(), nested(0, 'chat')]))).toEqual(new Set([top]));
  expect(new Set(exchangesOf([nested(0, 'chat'), ...tools]))).toEqual(new Set([top]));
});

test('spans that are above each other are no trap', () => {
  const [first, second] = [nested(1, 'execute_tool'), nested(2, 'execute_tool')];
  expect(exchangesOf([{ ...first, parentId: second.id }, second])).toHaveLength(2);
});
