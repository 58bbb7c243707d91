import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import {
  type GatewayScope,
  guardedScopes,
  reportingScopes,
} from '../../src/domain/control-plane/gateway-access.ts';
import { credential, useGateway } from '../http/control-plane/gateway/gateway.ts';
import { exchange } from '../http/control-plane/gateway/samples.ts';

const page = readFileSync(join(import.meta.dirname, '../../docs/gateway.md'), 'utf8');
const gateway = useGateway();

test('the records of the page are accepted in order, and answered as it shows', async () => {
  const [, project = ''] = /^PROJECT=(\S+)$/m.exec(page) ?? [];
  const variables = new Map([
    ['PROJECT', project],
    ['AGENT', 'agent_0'],
  ]);
  await gateway.agent({ id: 'agent_0' });
  const sent = [...page.matchAll(/^gateway ([\w-]+)( \$MANAGER)? <<END\n(.*?)\nEND$/gms)];
  expect(sent).toHaveLength(5);
  const answers = [];
  const credentials = {
    reports: await credential(reportingScopes),
    manages: await credential(guardedScopes),
  };
  for (const [, scope, manager, body = ''] of sent) {
    const filled = body.replaceAll(/\$(\w+)/g, (_, name) => variables.get(name) ?? expect.fail(name));
    const { status, json, text } = await gateway.send(
      scope as GatewayScope,
      filled,
      manager ? credentials.manages : credentials.reports,
    );
    expect(status, text).toBe(200);
    answers.push(json);
  }
  const [, answer = '', error = ''] =
    /```json\n(\{"results".*?)```.*```json\n(.*?)```/s.exec(page) ?? expect.fail();
  expect(answers.at(-1)).toEqual(JSON.parse(answer));
  const bad = [exchange('agent_0'), exchange('agent_0', { outcome: 'perhaps' })];
  const { request_id: _, ...refused } = (await gateway.send('audit-exchanges', bad)).json;
  expect(refused).toEqual(JSON.parse(error));
});
