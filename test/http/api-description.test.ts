import { expect, test } from 'vitest';
import { send, useService } from './service.ts';

const service = useService();

interface Operation {
  readonly operationId: string;
  readonly security: unknown;
  readonly responses: object;
}

test('each operation has a name of its own, its security, and the answers when it fails', async () => {
  const { paths } = (await send(service, 'GET', '/openapi.json')).json;
  const operations = Object.values<Record<string, Operation>>(paths).flatMap(Object.values<Operation>);
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(operations.length);
  expect(ids).toEqual(expect.arrayContaining(['putStatementsV1Batch', 'getStatementsV1IdById']));
  for (const { security, responses } of operations) {
    expect(security).toEqual([]);
    expect(Object.keys(responses)).toEqual(expect.arrayContaining(['400', '500', '503']));
  }
});

test('patterns mean the same in every engine of regular expressions', async () => {
  const { text } = await send(service, 'GET', '/openapi.json');
  const patterns: string[] = [];
  JSON.parse(text, (name, value) => {
    if (name === 'pattern' && typeof value === 'string') patterns.push(value);
    return value;
  });
  // No flags, and no classes that are wider in some engines.
  for (const pattern of patterns) expect(pattern).not.toMatch(/^\/|\/[a-z]*$|\\[pPdDwWbBuk]|\(\?/);
});
