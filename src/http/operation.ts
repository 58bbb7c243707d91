import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import { z } from 'zod';
import type { CallerName } from '../domain/access/access.ts';
import type { Recording } from '../domain/audit-log/audit-log.ts';
import type { App } from '../platform/http/app.ts';
import type { AppEnv } from '../platform/http/app-env.ts';
import { asCaller } from '../platform/http/callers.ts';
import { type Answered, type Answering, type Answers, answering } from './answering.ts';
import { allAnswers } from './answers.ts';
import { parsed, parsedQuery } from './parsed-request.ts';

/** How people authenticate who have signed in by browser, for the API description. */
export const sessionScheme = {
  type: 'apiKey',
  in: 'cookie',
  name: 'svc_session',
  description:
    'The session of a person who signed in by browser. A change also needs the header X-CSRF-Token with the value of the cookie svc_csrf.',
} as const;

/** One row of an API: who may call it, how it is recorded and described, and what it does. */
export interface Operation<
  Caller,
  Access,
  Params extends z.ZodType,
  Query extends z.ZodObject,
  Described extends Answers,
> {
  /** Who may call it. Callers of `public` operations are not authenticated. */
  readonly access: Access;
  /** How the audit log records it. Default: `before` for methods that change something, otherwise `none`. */
  readonly audit?: Recording;
  readonly summary: string;
  readonly description?: string;
  readonly tag: string;
  readonly params?: Params;
  readonly query?: Query;
  /** Header fields that the handler reads, for the description. */
  readonly headers?: z.ZodObject;
  /** The accepted bodies, for the description. The handler reads the body, after the caller was authorized. */
  readonly body?: NonNullable<NonNullable<RouteConfig['request']>['body']>['content'];
  readonly answers: Described;
  /** Whether the handler calls `begin`, because only it finds out whether the caller may do this. */
  readonly beginsLate?: true;
  readonly handle: (
    call: Call<Caller, Access, z.output<Params>, z.output<Query>, Described>,
  ) => Promise<Answered> | Answered;
}

interface Call<Caller, Access, Params, Query, Described extends Answers> extends Answering<Described> {
  readonly context: Context<AppEnv<Caller>>;
  readonly principal: Access extends 'public' ? undefined : Caller;
  readonly params: Params;
  readonly query: Query;
  /** Must be called before anything changes, once it is known that the caller may do this. @throws ServiceError. */
  readonly begin: () => Promise<void>;
}

interface Guard<Rule, Caller> {
  /** Checks the rule as far as the path tells. @throws ServiceError `forbidden`, `unavailable`. */
  authorize(principal: Caller, rule: Rule, name: string): Promise<void> | void;
  /** What the work of a caller counts under. */
  callerKey(principal: Caller, context: Context): string;
  /** The names of the ways in which callers authenticate, for the description. */
  readonly securitySchemes: readonly string[];
}

const none = z.object({});

/**
 * Makes the function that registers the operations of a service. A request is authorized, then parsed, then handled.
 * The audit trail follows all of that.
 */
export function operationsOf<Rule, Caller extends CallerName>(guard: Guard<Rule, Caller>) {
  return function operation<
    const Access extends Rule | 'public',
    Params extends z.ZodType = typeof none,
    Query extends z.ZodObject = typeof none,
    const Described extends Answers = Answers,
  >(
    app: App<Caller>,
    name: `${string} /${string}`,
    row: Operation<Caller, Access, Params, Query, Described>,
  ): void {
    const { access, params = none, query = none } = row;
    const [method, path] = name.split(' ') as [string, string];
    const { audit = method === 'GET' ? 'none' : 'before' } = row;
    describeOperation(app, row, [method, path], access === 'public' ? [] : guard.securitySchemes);
    app.on(method, routeOf(path), async (context) => {
      return await context.get('auditTrail').follow(context, name, audit, async (record) => {
        const principal = access === 'public' ? undefined : await identified(context);
        const key = principal === undefined ? 'public' : guard.callerKey(principal, context);
        using _running = principal && context.get('requestLimit').enter(key);
        if (principal !== undefined) {
          record.caller(principal);
          await guard.authorize(principal, access as Rule, name);
        }
        using account = context.get('budget').account(key);
        context.set('account', account);
        const begin = () => record.begin();
        if (!row.beginsLate) await begin();
        const call = {
          context,
          principal: principal as never,
          query: parsedQuery(query, context) as z.output<Query>,
          params: parsed(params, context.req.param(), 'The path') as z.output<Params>,
          begin,
          ...answering<Caller, Described>(context),
        };
        return await asCaller(context, key, () => row.handle(call));
      });
    });
  };
}

/** `{name}` is a part of the path, and `{+name}` the rest of it, with slashes. */
function routeOf(path: string): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1').replaceAll(/\{\+(\w+)\}/g, ':$1{.+}');
}

async function identified<Caller extends CallerName>(context: Context<AppEnv<Caller>>): Promise<Caller> {
  context.set('principal', null);
  const caller = await context.get('caller')();
  context.set('principal', { issuer: caller.issuer, subject: caller.subject });
  return caller;
}

function describeOperation<Caller>(
  app: App<Caller>,
  row: Omit<Operation<Caller, unknown, z.ZodType, z.ZodObject, Answers>, 'handle'>,
  [method, path]: readonly [string, string],
  securitySchemes: readonly string[],
): void {
  const { access, summary, description, tag, params, query, headers, body, answers } = row;
  app.openAPIRegistry.registerPath({
    method: method.toLowerCase() as RouteConfig['method'],
    path: path.replaceAll('{+', '{'),
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
    responses: allAnswers(answers, { isPublic: access === 'public', hasBody: body !== undefined }),
  });
}
