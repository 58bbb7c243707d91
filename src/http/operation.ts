import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { errorAnswers } from './error-answers.ts';
import { parsed } from './parsed.ts';

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
  /** Whether the handler calls `begin`, as only it finds out that the caller may do this. */
  readonly beginsLate?: true;
}

export interface Call<Caller, Known, Params, Query> {
  readonly context: Context<AppEnv<Caller>>;
  readonly principal: Known;
  readonly params: Params;
  readonly query: Query;
  /** To be called before anything is changed, once it is known that the caller may do it. @throws ServiceError. */
  readonly begin: () => Promise<void>;
}

interface Guard<Name extends string, Caller, Known> {
  /** Finds out who is calling. @throws ServiceError `unauthorized`, `unavailable`. */
  identify(context: Context<AppEnv<Caller>>, name: Name): Promise<Known>;
  /** Whether they may do that, as far as the path tells. @throws ServiceError `forbidden`, `unavailable`. */
  authorize(principal: Known, name: Name): Promise<void> | void;
  /** Names of the ways, for the API's description, in which callers prove who they are; none: nobody is asked. */
  proofs(name: Name): readonly string[];
}

const none = z.object({});

/**
 * What registers the routes of a service: in the order authorize, parse, handle, all of it followed by the audit trail;
 * and in the API description.
 */
export function operationsOf<
  Name extends `${string} /${string}`,
  Caller,
  Known extends Caller | undefined = Caller,
>({ identify, authorize, proofs }: Guard<Name, Caller, Known>) {
  return function operation<Params extends z.ZodType = typeof none, Query extends z.ZodType = typeof none>(
    app: App<Caller>,
    name: Name,
    spec: OperationSpec<Params, Query>,
    handle: (call: Call<Caller, Known, z.output<Params>, z.output<Query>>) => Promise<Response> | Response,
  ): void {
    const { params = none, query = none } = spec;
    const [method, path] = name.split(' ') as [string, string];
    describeOperation(app, method, path, spec, proofs(name));
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      return await context.get('auditTrail').follow(context, name, async (record) => {
        const principal = await identify(context, name);
        if (principal !== undefined) record.caller(principal);
        await authorize(principal, name);
        const begin = () => record.begin();
        if (!spec.beginsLate) await begin();
        return await handle({
          context,
          principal,
          params: parsed(params, context.req.param(), 'The path') as z.output<Params>,
          query: parsed(query, queryOf(context), 'The query') as z.output<Query>,
          begin,
        });
      });
    });
  };
}

function describeOperation<Caller>(
  app: App<Caller>,
  method: string,
  path: string,
  spec: OperationSpec<z.ZodType, z.ZodType>,
  proofs: readonly string[],
): void {
  const { summary, description, tag, params, query, headers, body, answers } = spec;
  app.openAPIRegistry.registerPath({
    method: method.toLowerCase() as RouteConfig['method'],
    path,
    summary,
    tags: [tag],
    ...(description && { description }),
    request: {
      ...(params && { params: params as never }),
      ...(query && { query: query as never }),
      ...(headers && { headers: headers as never }),
      ...(body && { body: { content: body, required: true } }),
    },
    security: proofs.map((proof) => ({ [proof]: [] })),
    responses: { ...answers, ...errorAnswers(answers, proofs.length === 0) },
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
