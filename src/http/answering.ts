import type { RouteConfig } from '@hono/zod-openapi';
import type { Context } from 'hono';
import type { z } from 'zod';
import type { AppEnv } from '../platform/http/app-env.ts';
import { type JsonPieces, listAnswer, type Next } from './list-pages.ts';
import { type Answered, readyAnswer } from './ready-answer.ts';

/** The declared answers of an operation, by their status. */
export type Answers = RouteConfig['responses'];

/** The ways in which an operation answers JSON. The compiler compares it with what is declared for the status. */
export interface Answering<Declared extends Answers> {
  answer<Status extends StatusOf<Declared>>(
    status: Status,
    ...given: GivenFor<JsonOf<Declared[Status]>>
  ): Answered;
  /** Answers 200 with a page of records, whose text is made record by record. */
  answerList<Member extends MemberOf<Declared>>(
    member: Member,
    records: Iterable<JsonPieces<RecordOf<Declared, Member>>>,
    page: Next,
  ): Promise<Answered>;
}

type StatusOf<Declared> = Extract<keyof Declared, number>;
type JsonOf<One> = One extends { readonly content: infer Content }
  ? Content extends { readonly 'application/json': { readonly schema: infer Schema extends z.ZodType } }
    ? Sent<z.output<Schema>>
    : never
  : undefined;
type Headers = Readonly<Record<string, string>>;
type GivenFor<Body> = [Body] extends [undefined]
  ? [body?: undefined, headers?: Headers]
  : [body: Body, headers?: Headers];
type ListOf<Declared> = Declared extends { readonly 200: infer One } ? JsonOf<One> : never;
type MemberOf<Declared> = Extract<keyof ListOf<Declared>, string>;
type RecordOf<Declared, Member> =
  ListOf<Declared> extends infer List
    ? Member extends keyof List
      ? List[Member] extends readonly (infer One)[]
        ? One
        : never
      : never
    : never;

/** What is sent is only read. */
type Sent<T> = T extends readonly (infer One)[]
  ? readonly Sent<One>[]
  : T extends object
    ? { readonly [Member in keyof T]: Sent<T[Member]> }
    : T;

export function answering<Caller, Declared extends Answers>(
  context: Context<AppEnv<Caller>>,
): Answering<Declared> {
  return {
    answer: (status, ...given) => {
      const [body, headers] = given as [body?: object, headers?: Headers];
      return readyAnswer(
        body === undefined
          ? context.body(null, status as 204, headers)
          : (context.json(body, status as 200, headers) as Response),
      );
    },
    answerList: (member, records, page) => listAnswer(context, member, records, page),
  };
}
