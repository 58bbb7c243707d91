import { expect, test } from 'vitest';
import { auditWords } from '../../src/ui/console/audit-words.ts';
import { useGateway } from './control-plane/gateway/gateway.ts';
import { send, useService } from './service.ts';

const service = useService();
const gateway = useGateway({ CONTROL_PLANE_AUTH_ENABLED: 'false' });

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
  const patterns: string[] = [];
  for (const asked of [service, gateway])
    JSON.parse((await send(asked, 'GET', 'http://127.0.0.1/openapi.json')).text, (name, value) => {
      if (name === 'pattern' && typeof value === 'string') patterns.push(value);
      return value;
    });
  // No flags, and no classes that are wider in some engines.
  for (const pattern of patterns) expect(pattern).not.toMatch(/^\/|\/[a-z]*$|\\[pPdDwWsSbBuk]|\(\?/);
});

/** They send a question, so the audit log does not have them. */
const questions = [
  'POST /checks/v1',
  'POST /credentials/v1/verify',
  'POST /gov/v1/policy/manifest/{project_uuid}',
  'POST /log/v1/proofs',
  'POST /log/v1/receipt-check',
  'POST /log/v1/standings',
  'POST /names/v1',
  'POST /store/v1/missing',
  'POST /store/v1/small',
  'POST /utils/v1/integrity/statement/compute-id',
  'POST /utils/v1/json-ld/rdfc_cid',
  'POST /utils/v1/json-ld/to-nquads',
];

test('the audit log has words for each operation that changes something', async () => {
  const names: string[] = [];
  for (const asked of [service, gateway]) {
    const { paths } = (await send(asked, 'GET', 'http://127.0.0.1/openapi.json')).json;
    for (const [path, operations] of Object.entries<object>(paths))
      names.push(...Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`));
  }
  const changes = names.filter((name) => !name.startsWith('GET ') && !questions.includes(name));
  expect(Object.keys(auditWords)).toEqual(expect.arrayContaining(changes));
});
