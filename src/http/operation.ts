import { type RouteConfig, z } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { Recording } from '../domain/audit-log/recording.ts';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { errorAnswers } from './error-answers.ts';
import { parsed } from './parsed.ts';

type Content = NonNullable<NonNullable<RouteConfig['request']>['body']>['content'];

/** What is said of a route beside its handler. The audit trail and the API's description read it here. */
export interface OperationSpec<Access, Params extends z.ZodType, Query extends z.ZodType> {
  /** Who may do it; `public`: nobody is asked who they are. */
  readonly access: Access;
  /** How it gets into the audit log. Without it: `before` for methods that change something, otherwise `none`. */
  readonly audit?: Recording;
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
  /** Whether the handler calls `begin`, because only it finds out whether the caller may do this. */
  readonly beginsLate?: true;
}

/** An operation is one row: who may, what the API description says, and the handler. */
export interface Operation<Caller, Access, Params extends z.ZodType, Query extends z.ZodType>
  extends OperationSpec<Access, Params, Query> {
  readonly handle: (
    call: Call<Caller, Access, z.output<Params>, z.output<Query>>,
  ) => Promise<Response> | Response;
}

export interface Call<Caller, Access, Params, Query> {
  readonly context: Context<AppEnv<Caller>>;
  readonly principal: Access extends 'public' ? undefined : Caller;
  readonly params: Params;
  readonly query: Query;
  /** To be called before anything is changed, once it is known that the caller may do it. @throws ServiceError. */
  readonly begin: () => Promise<void>;
}

interface Guard<Rule, Caller> {
  /** Whether they may do that, as far as the path tells. @throws ServiceError `forbidden`, `unavailable`. */
  authorize(principal: Caller, rule: Rule, name: string): Promise<void> | void;
  /** Names of the ways, for the API's description, in which callers prove who they are. */
  readonly securitySchemes: readonly string[];
}

const none = z.object({});

/**
 * What registers the routes of a service: in the order authorize, parse, handle, all of it followed by the audit trail;
 * and in the API description.
 */
export function operationsOf<Rule, Caller>({ authorize, securitySchemes }: Guard<Rule, Caller>) {
  return function operation<
    const Access extends Rule | 'public',
    Params extends z.ZodType = typeof none,
    Query extends z.ZodType = typeof none,
  >(app: App<Caller>, name: `${string} /${string}`, spec: Operation<Caller, Access, Params, Query>): void {
    const { access, params = none, query = none } = spec;
    const [method, path] = name.split(' ') as [string, string];
    const { audit = method === 'GET' ? 'none' : 'before' } = spec;
    describeOperation(app, method, path, spec, access === 'public' ? [] : securitySchemes);
    app.on(method, path.replaceAll(/\{(\w+)\}/g, ':$1'), async (context) => {
      return await context.get('auditTrail').follow(context, name, audit, async (record) => {
        const principal = access === 'public' ? undefined : await context.get('caller')();
        if (principal !== undefined) {
          record.caller(principal);
          await authorize(principal, access as Rule, name);
        }
        const begin = () => record.begin();
        if (!spec.beginsLate) await begin();
        return await spec.handle({
          context,
          principal: principal as never,
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
  spec: OperationSpec<unknown, z.ZodType, z.ZodType>,
  securitySchemes: readonly string[],
): void {
  const { access, summary, description, tag, params, query, headers, body, answers } = spec;
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
    security: securitySchemes.map((scheme) => ({ [scheme]: [] })),
    'x-access': access,
    responses: { ...answers, ...errorAnswers(answers, access === 'public') },
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
