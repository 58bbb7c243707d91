import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { authorize, isPublic, nobody, type Operation, type Principal } from '../domain/access.ts';
import { ServiceError } from '../domain/errors.ts';
import { jsonPointer } from '../domain/strict-json.ts';
import type { App, AppEnv } from '../platform/app.ts';
import { errorAnswers } from './error-answers.ts';

type Content = NonNullable<NonNullable<RouteConfig['request']>['body']>['content'];

/** A route as its row in the access table names it, with the schemas that parse it and describe it. */
export interface OperationSpec<Params extends z.ZodType, Query extends z.ZodType> {
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Header fields that the handler reads, for the description. */
  readonly headers?: z.ZodObject;
  /** What the body may be; its handler reads it, after the caller was authorized. */
  readonly body?: Content;
  readonly answers: RouteConfig['responses'];
}

export interface Call<Params, Query> {
  readonly context: Context<AppEnv>;
  readonly principal: Principal;
  readonly params: Params;
  readonly query: Query;
}

const none = z.object({});

/** Registers a route: in the order authorize, parse, handle; and in the API description. */
export function operation<Params extends z.ZodType = typeof none, Query extends z.ZodType = typeof none>(
  app: App,
  name: Operation,
  spec: OperationSpec<Params, Query>,
  handle: (call: Call<z.output<Params>, z.output<Query>>) => Promise<Response> | Response,
): void {
  const [method, path] = name.split(' ') as [string, string];
  const { params = none, query = none, summary, description, tag, body, answers } = spec;
  app.openAPIRegistry.registerPath({
    method: method.toLowerCase() as RouteConfig['method'],
    path,
    summary,
    tags: [tag],
    ...(description && { description }),
    request: {
      ...(spec.params && { params: spec.params as never }),
      ...(spec.query && { query: spec.query as never }),
      ...(spec.headers && { headers: spec.headers as never }),
      ...(body && { body: { content: body, required: true } }),
    },
    security: isPublic(name) ? [] : [{ bearer: [] }],
    responses: { ...answers, ...errorAnswers(answers, isPublic(name)) },
  });
  app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
    const principal = isPublic(name) ? nobody : await context.get('caller')();
    await authorize(principal, name);
    return await handle({
      context,
      principal,
      params: parsed(params, context.req.param(), 'The path') as z.output<Params>,
      query: parsed(query, queryOf(context), 'The query') as z.output<Query>,
    });
  });
}

/** Parameters that stand twice come as arrays, which only schemas for lists accept. */
function queryOf(context: Context): Record<string, string | string[]> {
  return Object.fromEntries(
    Object.entries(context.req.queries()).map(([name, values]) => [
      name,
      values.length === 1 ? (values[0] ?? '') : values,
    ]),
  );
}

/** @throws ServiceError `invalid_request` with a pointer and a reason for each fault. */
export function parsed<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  what: string,
): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const details = result.error.issues.map((issue) => ({
    pointer: jsonPointer(issue.path),
    reason: issue.message,
  }));
  const [first] = details;
  const place = first?.pointer ? ` at "${first.pointer}"` : '';
  throw new ServiceError('invalid_request', `${what} is not accepted${place}: ${first?.reason}.`, {
    details,
  });
}
