import type { OpenAPIRegistry } from '@asteasolutions/zod-to-openapi';
import { type RouteConfig, z } from '@hono/zod-openapi';
import { expect } from 'vitest';
import { errorBody } from '../../src/contract/errors.ts';

/** An application that describes its operations. */
interface Described {
  readonly openAPIRegistry: Pick<OpenAPIRegistry, 'definitions'>;
  request: (
    input: string | Request | URL,
    init?: RequestInit,
    ...more: never[]
  ) => Response | Promise<Response>;
}

/** The media types of an answer and their schemas. */
type Content = Readonly<Record<string, { readonly schema: z.ZodType }>>;

/**
 * Compares every answer with what its operation declares: the status, the media type, and JSON with its schema. A member
 * that the schema does not have fails.
 */
export function checkAnswers<App extends object>(app: App): App {
  const described = app as unknown as Described;
  const { request } = described;
  described.request = async (input, init, ...more) => {
    const response = await request(input, init, ...more);
    const asked = new Request(new URL(input instanceof Request ? input.url : input, 'http://localhost'), {
      method: (input instanceof Request ? input.method : init?.method) ?? 'GET',
    });
    return checked(response, asked, operationFor(described, asked));
  };
  return app;
}

function operationFor({ openAPIRegistry }: Described, { method, url }: Request): RouteConfig | undefined {
  const asked = new URL(url).pathname;
  const routes = openAPIRegistry.definitions.flatMap((one) => (one.type === 'route' ? [one.route] : []));
  const named = routes.filter(
    (route) => route.method.toUpperCase() === (method === 'HEAD' ? 'GET' : method) && isAt(asked, route.path),
  );
  // A path without parameters comes first.
  return named.toSorted((one, other) => parameters(one.path) - parameters(other.path))[0] as
    | RouteConfig
    | undefined;
}

const parameters = (path: string) => path.split('{').length;

function isAt(asked: string, path: string): boolean {
  const parts = path.split('/');
  const given = asked.split('/');
  return (
    parts.length === given.length && parts.every((part, at) => part.startsWith('{') || part === given[at])
  );
}

function checked(response: Response, { method, url }: Request, operation: RouteConfig | undefined): Response {
  const { status, headers } = response;
  const name = `${method} ${new URL(url).pathname}: ${status}`;
  const content = contentOf(operation, status, name);
  if (content === undefined) return response;
  const type = headers.get('content-type')?.split(';')[0] ?? '';
  const hasBody = method !== 'HEAD' && response.body !== null;
  const declared = content[type] ?? content['*/*'];
  if (hasBody) expect(declared, `${name} has ${type}. Declared: ${Object.keys(content)}`).toBeDefined();
  // A range of JSON is no JSON.
  const json = status === 206 ? undefined : content['application/json'];
  if (!hasBody || type !== 'application/json' || json === undefined) return response;
  const text = response.text.bind(response);
  const checkedText = async () => {
    const read = await text();
    compare(name, json.schema, JSON.parse(read));
    return read;
  };
  return Object.assign(response, { text: checkedText, json: async () => JSON.parse(await checkedText()) });
}

/** What an answer may be; undefined for answers that are no part of the API. */
function contentOf(operation: RouteConfig | undefined, status: number, name: string): Content | undefined {
  // A method that a path does not have is refused before any operation.
  if (operation === undefined || status === 405)
    return status >= 400
      ? { 'application/json': { schema: errorBody }, '*/*': { schema: errorBody } }
      : undefined;
  const answer = operation.responses[status];
  expect(answer, `${name} is not declared`).toBeDefined();
  return ((answer as { content?: Content } | undefined)?.content ?? {}) as Content;
}

/** A schema leaves out what it does not know. */
function compare(name: string, schema: z.ZodType, answer: unknown): void {
  const { data, error } = schema.safeParse(answer);
  if (error) expect.fail(`${name}: ${z.prettifyError(error)}`);
  expect(answer, `${name} has members that its schema does not have`).toEqual(data);
}
