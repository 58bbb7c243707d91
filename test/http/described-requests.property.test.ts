import fc, { type Arbitrary } from 'fast-check';
import { expect, test } from 'vitest';
import { runs } from '../property-runs.ts';
import { credential, useGateway } from './control-plane/gateway/gateway.ts';
import { type Components, type Schema, valuesOf } from './described-values.ts';
import { type Asked, answerOf, send, useService } from './service.ts';

const service = useService();
const gateway = useGateway({ CONTROL_PLANE_AUTH_ENABLED: 'false' });

/** Refusals of requests that fit the description, for what no schema can say: by operation, with their sentences. */
const unsayable: readonly (readonly [operations: RegExp, sentence: RegExp])[] = [
  // A cursor is opaque.
  [/^GET /, /^This cursor does not belong to this list/],
  // A CID holds a multihash, a did:key a key, and a CAR its blocks.
  [/./, /"(urn:cid:)?b[a-z2-7]+" is neither a CID, nor a UUID, nor a DID/],
  [
    /^PUT .store.v1.blob.batch$/,
    /^The bytes are urn:cid:|^"(urn:cid:)?b[a-z2-7]+" is not a (canonical )?CID|multihash/,
  ],
  [/did_key|membership|controls|registrations/, /is not accepted as a did:key/],
  [/^PUT .store.v1.blob.batch$|^POST .manifest.v1$/, /^This (is not a complete CAR|CAR is not a manifest)/],
  // OpenAPI cannot say which parameters go together.
  [/^GET /, /^"(after|before)" and "(from|to)" mean the same/],
  [/GET .credentials.v1.status$/, /^Name the credential with credential_id, or an entry/],
  // Two members contradict each other, or something that is stored.
  [/revoke.\{credentialId\}$/, /contradicts credentialStatus.status|does not belong to the credential/],
  // The calendar, and the clock.
  [/membership|compliance|controls/, /^\w+ "[^"]+" is (in the past|not an RFC 3339 date-time)/],
  // A policy has a schema of its own, and its text can be YAML.
  [/^POST .checks.v1/, /^The policy cannot be used\./],
  [/^GET .report.v1/, /^There is no template /],
  // What is registered.
  [/\/gov\//, /^There is no (subject|policy|control|declaration) /],
  [/PATCH .v1.agents.*bindings/, /^There is no user /],
  [/\/gateway\//, /there is no agent | has no exchange /],
];

interface Operation {
  readonly parameters?: readonly {
    readonly in: 'path' | 'query' | 'header';
    readonly name: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { readonly schema: Schema }>> };
}

interface DescribedRequest {
  readonly path: string;
  readonly init: RequestInit;
}

/** Requests that fit the description of an operation. */
function requestsOf(name: string, operation: Operation, components: Components): Arbitrary<DescribedRequest> {
  const [method = '', template = ''] = name.split(' ');
  const { parameters = [], requestBody } = operation;
  const given = (place: string) => {
    const all = parameters.filter((one) => one.in === place);
    return fc.record(Object.fromEntries(all.map((one) => [one.name, valuesOf(one.schema, components)])), {
      requiredKeys: all.filter(({ required }) => required).map((one) => one.name),
    });
  };
  const bodies = Object.entries(requestBody?.content ?? {}).map(([type, { schema }]) =>
    valuesOf(schema, components).map((value) => encoded(type, value)),
  );
  const body = bodies.length > 0 ? fc.oneof(...bodies) : fc.constant({});
  // URLs resolve dots, so that such a request is one for another path.
  const isDots = (value: unknown) => value === '.' || value === '..';
  const paths = given('path').filter((path) => !Object.values(path).some(isDots));
  return fc.tuple(paths, given('query'), body).map(([path, query, sent]) => {
    const filled = Object.entries(path).reduce(
      (all, [key, one]) => all.replace(`{${key}}`, () => encodeURIComponent(String(one))),
      template,
    );
    const search = new URLSearchParams(
      Object.entries(query).flatMap(([key, one]) => [one].flat().map((text) => [key, String(text)])),
    );
    return {
      path: `http://127.0.0.1${filled}?${search}`,
      init: { method, ...sent },
    };
  });
}

function encoded(type: string, value: unknown): RequestInit {
  if (type !== 'multipart/form-data')
    return {
      headers: { 'content-type': type },
      body: type.includes('json') ? JSON.stringify(value) : String(value),
    };
  const form = new FormData();
  for (const [name, part] of Object.entries(value as object)) form.append(name, new Blob([part]), name);
  return { body: form };
}

async function tryAll(asked: Asked, headers: Record<string, string> = {}): Promise<number> {
  const { paths, components } = (await send(asked, 'GET', 'http://127.0.0.1/openapi.json')).json;
  const operations = Object.entries<Record<string, Operation>>(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, one]) => [`${method.toUpperCase()} ${path}`, one] as const),
  );
  const unexplained: string[] = [];
  for (const [name, operation] of operations) {
    const reasons = unsayable.filter(([of]) => of.test(name)).map(([, sentence]) => sentence);
    for (const { path, init } of fc.sample(requestsOf(name, operation, components.schemas), runs(60))) {
      const request = { ...init, headers: { ...init.headers, ...(name.includes('/gateway/') && headers) } };
      const { status, json } = await answerOf(await asked.app.request(path, request));
      const isRefused = status === 400 && json.code === 'invalid_request';
      if (isRefused && !reasons.some((sentence) => sentence.test(json.error)))
        unexplained.push(`${name}: ${json.error} ${path} ${init.body ?? ''}`.slice(0, 600));
    }
  }
  expect(unexplained).toEqual([]);
  return operations.length;
}

test('requests that fit the description are not refused for what it could have said', async () => {
  // The agent in the examples.
  await gateway.agent({ id: 'agent-5f3a' });
  const authorization = `Bearer ${await credential()}`;
  expect(await tryAll(service)).toBeGreaterThan(45);
  expect(await tryAll(gateway, { authorization })).toBeGreaterThan(25);
});
