import { describe, expect, test } from 'vitest';
import { useGateway } from './control-plane/gateway/gateway.ts';
import { type Asked, answerOf, useService } from './service.ts';

const services: readonly (readonly [string, Asked])[] = [
  ['the integrity service', useService()],
  ['the control plane', useGateway()],
];
const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

describe.each(services)('%s', (_, service) => {
  const ask = async (method: string, path: string) =>
    await answerOf(await service.app.request(`http://127.0.0.1${path}`, { method }));

  test('has the methods that Allow names, and no others, on every path', async () => {
    const { json } = await ask('GET', '/openapi.json');
    expect(Object.keys(json.paths).length).toBeGreaterThan(10);
    for (const [template, operations] of Object.entries<object>(json.paths)) {
      const path = template.replaceAll(/\{\w+\}/g, 'something');
      const described = Object.keys(operations).map((method) => method.toUpperCase());
      const wanted = [...described, ...(described.includes('GET') ? ['HEAD'] : [])].sort();
      for (const method of methods) {
        const { status, headers } = await ask(method, path);
        const name = `${method} ${path}`;
        if (wanted.includes(method)) expect([name, status === 405]).toEqual([name, false]);
        else expect([name, status, headers.get('allow')]).toEqual([name, 405, wanted.join(', ')]);
      }
    }
  });
});
