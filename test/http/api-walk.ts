import { expect } from 'vitest';
import type { GatewayScope } from '../../src/domain/control-plane/gateway-access.ts';
import { apiExamples } from '../../src/http/api-examples.ts';
import type { TestGateway } from './control-plane/gateway/gateway.ts';
import { type Answer, type Asked, answerOf, send } from './service.ts';

export interface Described {
  readonly name: string;
  readonly tag: string;
  readonly type: string | undefined;
  readonly parameters: readonly {
    readonly in: string;
    readonly name: string;
    readonly schema: { example?: string };
  }[];
  readonly body: unknown;
  readonly successes: readonly number[];
}

/** The operations that have an example, in the order in which `/docs` shows them: by their tags, as these appear. */
export async function walk(asked: Asked): Promise<Described[]> {
  const { paths } = (await send(asked, 'GET', 'http://127.0.0.1/openapi.json')).json;
  const all = Object.entries<object>(paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(
      ([method, { tags, parameters = [], requestBody, responses }]): Described => {
        const [type] = Object.keys(requestBody?.content ?? {}).filter((one) => one !== 'multipart/form-data');
        return {
          name: `${method.toUpperCase()} ${path}`,
          tag: tags[0],
          type,
          parameters,
          body: type && requestBody.content[type].example,
          successes: Object.keys(responses)
            .map(Number)
            .filter((status) => status < 300),
        };
      },
    ),
  );
  const tags = [...new Set(all.map(({ tag }) => tag))];
  return all.toSorted((one, other) => tags.indexOf(one.tag) - tags.indexOf(other.tag));
}

async function tryOut(asked: Asked, { name, type, parameters, body }: Described): Promise<Answer> {
  const [method = '', template = ''] = name.split(' ');
  const query = new URLSearchParams();
  let path = template;
  for (const { in: place, name: parameter, schema } of parameters) {
    if (place === 'path') path = path.replace(`{${parameter}}`, encodeURIComponent(schema.example ?? ''));
    else if (place === 'query' && schema.example !== undefined) query.set(parameter, schema.example);
  }
  const init = { method, ...(type && { body: typeof body === 'string' ? body : JSON.stringify(body) }) };
  const headers: Record<string, string> = type ? { 'content-type': type } : {};
  return await answerOf(await asked.app.request(`http://127.0.0.1${path}?${query}`, { ...init, headers }));
}

/** Tries the examples of the integrity service in the order of `/docs`. */
export async function tryIntegrityExamples(service: Asked): Promise<void> {
  const operations = (await walk(service)).filter(({ name }) => name in apiExamples);
  let allocated: unknown;
  for (const operation of operations) {
    const isRevocation = operation.name.includes('/revoke/');
    // The index of a status entry is random.
    const body = isRevocation ? { credentialStatus: allocated } : operation.body;
    const { status, json, text } = await tryOut(service, { ...operation, body });
    expect({ operation: operation.name, status: operation.successes.includes(status) || text }).toEqual({
      operation: operation.name,
      status: true,
    });
    if (operation.name.endsWith('/allocate')) allocated = json.credentialStatus[0];
    if (operation.name.endsWith('/credentials/v1/verify')) expect(json.verified).toBe(true);
  }
  expect(operations.length).toBeGreaterThan(30);
}

/** Tries the examples of the gateway and of agents, with the agent that they name. */
export async function tryGatewayExamples(gateway: TestGateway): Promise<void> {
  const operations = await walk(gateway);
  const parts = ['audit-exchanges', 'plugin-events', 'state-records', 'memberships', 'project-bindings'];
  const [id] = operations.flatMap(({ body }) => JSON.stringify(body ?? '').match(/agent_\w{20,}/) ?? []);
  await gateway.agent({ id: String(id) });
  for (const part of parts) {
    const { body } = operations.find(({ name }) => name.endsWith(`/v1/gateway/${part}`)) ?? expect.fail(part);
    const { status, text } = await gateway.send(part as GatewayScope, JSON.stringify(body));
    expect(status, text).toBe(200);
  }
  for (const change of ['revoke', 'restore']) {
    const operation = operations.find(({ name }) => name.endsWith(`/${change}`)) ?? expect.fail(change);
    const { status, text } = await tryOut(gateway, operation);
    expect(status, text).toBe(200);
  }
}
