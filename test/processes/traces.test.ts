import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createAdaptorServer } from '@hono/node-server';
import { context, trace } from '@opentelemetry/api';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { expect, test } from 'vitest';
import { eachRecord } from '../../src/domain/collections/records.ts';
import { auditExchanges, pluginEvents } from '../../src/domain/control-plane/gateway/runtime-records.ts';
import { describeWith } from '../describe-with.ts';
import { credential, useGateway } from '../http/control-plane/gateway/gateway.ts';
import { project } from '../http/control-plane/gateway/samples.ts';

const run = promisify(execFile);
const python = join(process.env.CAIRN_TEST_PYTHON_SDK ?? '', 'bin/python');
const absence = 'there is no SDK (CAIRN_TEST_PYTHON_SDK, installed by .ci/python-sdk)';
const script = fileURLToPath(new URL('traces.py', import.meta.url));
const gateway = useGateway();

/** Sends to a real server, and expects a call of a model with a call of a tool in it. */
async function expectReport(
  model: string,
  send: (url: string, token: string, agent: string) => Promise<unknown>,
) {
  const server = createAdaptorServer({ fetch: gateway.app.fetch }).listen(0, '127.0.0.1');
  try {
    await once(server, 'listening');
    const agent = await gateway.agent();
    const { port } = server.address() as AddressInfo;
    await send(`http://127.0.0.1:${port}`, await credential(), agent);
    const at = [project, agent];
    const exchanges = await Array.fromAsync(eachRecord(gateway.store.of(auditExchanges), 'byAgent', at));
    const events = await Array.fromAsync(eachRecord(gateway.store.of(pluginEvents), 'byAgent', at));
    expect(exchanges).toMatchObject([{ model, outcome: 'ok' }]);
    expect(events).toMatchObject([{ kind: 'tool-call', exchangeKey: exchanges[0]?.exchangeKey }]);
  } finally {
    server.close();
  }
}

test('the official SDK for JavaScript reports what an agent does', async () => {
  await expectReport('javascript', async (url, token, agent) => {
    const exporter = new OTLPTraceExporter({
      url: `${url}/v1/traces`,
      headers: { authorization: `Bearer ${token}` },
      compression: 'gzip' as never,
    });
    const provider = new TracerProvider({
      resource: resourceFromAttributes({ 'cairn.agent_id': agent, 'cairn.project_id': project }),
      spanProcessors: [new BatchSpanProcessor({ exporter })],
    });
    const tracer = provider.getTracer('test');
    const attributes = { 'gen_ai.operation.name': 'chat', 'gen_ai.request.model': 'javascript' };
    const chat = tracer.startSpan('chat', { attributes });
    const inside = trace.setSpan(context.active(), chat);
    tracer.startSpan('tool', { attributes: { 'gen_ai.operation.name': 'execute_tool' } }, inside).end();
    chat.end();
    await provider.forceFlush();
    await provider.shutdown();
  });
});

describeWith(!existsSync(python) && absence, 'the official SDK for Python', () => {
  test('reports what an agent does', async () => {
    await expectReport('python', (url, token, agent) => run(python, [script, url, token, agent, project]));
  });
});
