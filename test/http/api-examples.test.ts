import { expect, test } from 'vitest';
import { tryGatewayExamples, tryIntegrityExamples, walk } from './api-walk.ts';
import { useGateway } from './control-plane/gateway/gateway.ts';
import { useService } from './service.ts';

const service = useService();
const gateway = useGateway({ CONTROL_PLANE_AUTH_ENABLED: 'false' });

test('the examples of the integrity service succeed on a fresh service, in the order of /docs', async () => {
  await tryIntegrityExamples(service);
});

test('every operation with a JSON body has an example', async () => {
  const operations = [...(await walk(service)), ...(await walk(gateway))];
  const without = operations.filter(({ type, body }) => type?.includes('json') && body === undefined);
  expect(without.map(({ name }) => name)).toEqual([]);
});

test('the examples of the gateway and of agents succeed once the agent exists', async () => {
  await tryGatewayExamples(gateway);
});
