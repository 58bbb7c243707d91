import { ServiceError } from '../domain/errors.ts';
import { isObject } from '../domain/json/is-object.ts';
import { referenceAsset, referencePolicy } from '../platform/http/api-reference.ts';
import type { App } from '../platform/http/app.ts';
import { apiPage } from '../ui/api-page.ts';
import { type Link, withPerson } from '../ui/header.ts';
import { type ApiExample, apiExamples } from './api-examples.ts';

type Info = Parameters<App['getOpenAPIDocument']>[0]['info'];
type SecurityScheme = Parameters<App['openAPIRegistry']['registerComponent']>[2];

/** An application of any kind of caller that an API description can include. */
export type Described = Pick<App, 'getOpenAPIDocument'>;

/**
 * `/openapi.json`, generated from the schemas that parse the requests, and `/docs`, where people read and try it.
 * @param options `securitySchemes`: how callers authenticate, by the names that operations use; none if they do not.
 * `links`: the pages at the same address. `others`: services at the same address.
 */
export function apiDescription<Caller>(
  app: App<Caller>,
  info: Info,
  {
    securitySchemes,
    links,
    others = [],
  }: {
    readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
    readonly links: readonly Link[];
    readonly others?: readonly Described[];
  },
): void {
  for (const [name, scheme] of Object.entries(securitySchemes))
    app.openAPIRegistry.registerComponent('securitySchemes', name, scheme);

  app.get('/openapi.json', (context) => context.json(apiDocument([app, ...others], info)));

  const headers = { 'content-security-policy': referencePolicy, 'x-content-type-options': 'nosniff' };
  app.get('/docs', async (context) =>
    context.html(withPerson(await apiPage(links), context.get('person')), 200, headers),
  );
  app.get('/docs/:asset', async (context) => {
    const asset = await referenceAsset(context.req.param('asset'));
    if (!asset) throw new ServiceError('not_found', 'The API reference has no such file.');
    const body = typeof asset.body === 'string' ? asset.body : new Uint8Array(asset.body);
    return context.body(body, 200, { ...headers, 'content-type': asset.type });
  });
}

/** One OpenAPI document of several services. Their paths differ, and components with the same name are the same. */
function apiDocument(described: readonly Described[], info: Info) {
  const documents = described
    .map((one) => one.getOpenAPIDocument({ openapi: '3.0.3', info, servers: [{ url: '/' }] }))
    .map(completed);
  const joined = (part: 'schemas' | 'securitySchemes') =>
    Object.assign({}, ...documents.map(({ components }) => components?.[part]));
  const document = {
    ...documents[0],
    paths: Object.assign({}, ...documents.map(({ paths }) => paths)),
    components: { schemas: joined('schemas'), securitySchemes: joined('securitySchemes') },
  };
  return JSON.parse(JSON.stringify(document, withoutBareNullable));
}

/** `GET /graph/v1/{uuid}` is `getGraphV1ByUuid`. Clients are generated with these names, so they never change. */
function operationId(method: string, path: string): string {
  const words = path
    .replaceAll('{', 'by-')
    .split(/[^A-Za-z0-9]+/)
    .filter((word) => word !== '');
  return method.toLowerCase() + words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('');
}

/** Any value, null included, is the empty schema. OpenAPI 3.0 allows `nullable` only beside a type. */
function withoutBareNullable(_name: string, value: unknown): unknown {
  if (!isObject(value) || value.nullable !== true || 'type' in value || '$ref' in value) return value;
  const { nullable: _, ...others } = value;
  return others;
}

type ApiDocument = ReturnType<Described['getOpenAPIDocument']>;

interface DescribedOperation {
  readonly operationId?: string;
  security?: object[];
  readonly parameters?: { readonly name: string; schema: object }[];
  readonly requestBody?: { readonly content: Record<string, { example?: unknown }> };
}

/** Bodies of these types are files, which `/docs` does not fill in. */
const fileTypes = ['multipart/form-data', 'application/vnd.ipld.car'];

/** Adds ids and examples, and leaves out the ways to authenticate that the service does not have. */
function completed(document: ApiDocument): ApiDocument {
  const known = document.components?.securitySchemes ?? {};
  const paths = structuredClone(document.paths) as Record<string, Record<string, DescribedOperation>>;
  for (const [path, operations] of Object.entries(paths))
    for (const [method, operation] of Object.entries(operations)) {
      operation.security = (operation.security ?? []).filter((one) =>
        Object.keys(one).every((name) => name in known),
      );
      const example = apiExamples[`${method.toUpperCase()} ${path}`];
      if (example) showExample(operation, example);
      operations[method] = { operationId: operationId(method, path), ...operation };
    }
  return { ...document, paths };
}

function showExample(
  { parameters = [], requestBody }: DescribedOperation,
  { parameters: values = {}, body }: ApiExample,
): void {
  for (const parameter of parameters)
    parameter.schema = { ...parameter.schema, example: values[parameter.name] };
  for (const [type, content] of Object.entries(requestBody?.content ?? {}))
    if (!fileTypes.includes(type)) content.example = body;
}
