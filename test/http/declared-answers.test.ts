import { OpenAPIHono, z } from '@hono/zod-openapi';
import { expect, test } from 'vitest';
import type { Answering, JsonPieces } from '../../src/http/answering.ts';
import { errorAnswer, jsonAnswer, notModified } from '../../src/http/answers.ts';
import { checkAnswers } from './declared-answers.ts';

const thing = z.object({ name: z.string(), size: z.int().optional() });
const answers = {
  200: jsonAnswer('Things', z.object({ things: z.array(thing), next_cursor: z.string().optional() })),
  201: jsonAnswer('A thing', thing),
  304: notModified,
  404: errorAnswer('No such thing'),
};

test('the compiler compares an answer with what is declared', () => {
  const compiled = async ({ answer, answerList }: Answering<typeof answers>) => {
    answer(201, { name: 'a' });
    answer(201, { name: 'a', size: 1 }, { etag: '"a"' });
    answer(304, undefined, { etag: '"a"' });
    // @ts-expect-error: a member is missing.
    answer(201, { size: 1 });
    // @ts-expect-error: a member is misspelled.
    answer(201, { name: 'a', sise: 1 });
    // @ts-expect-error: a member has another type.
    answer(201, { name: 'a', size: '1' });
    // @ts-expect-error: the status is not declared.
    answer(202, { name: 'a' });
    // @ts-expect-error: this status has no body.
    answer(304, { name: 'a' });

    const page = {};
    const named: JsonPieces<{ name: string }>[] = [];
    const sized: JsonPieces<{ size: number }>[] = [];
    await answerList('things', named, page);
    // @ts-expect-error: a record lacks a member.
    await answerList('things', sized, page);
    // @ts-expect-error: the list has another name.
    await answerList('thing', named, page);
  };
  expect(compiled).toBeTypeOf('function');
});

test.each<[string, number, unknown]>([
  ['has members that its schema does not have', 200, { things: [{ name: 'a', sise: 1 }] }],
  ['things[0].name', 200, { things: [{ size: 1 }] }],
  ['is not declared', 202, { name: 'a' }],
  ['Declared: application/json', 201, 'a text'],
  [
    'has members that its schema does not have',
    404,
    { error: 'a', code: 'not_found', request_id: 'b', more: 1 },
  ],
])('an answer that differs from its declaration is found: %s', async (problem, status, body) => {
  const app = new OpenAPIHono();
  app.openAPIRegistry.registerPath({ method: 'get', path: '/things/{id}', responses: answers });
  app.get('/things/:id', (context) =>
    typeof body === 'string'
      ? context.text(body, status as 200)
      : context.json(body as object, status as 200),
  );
  const asked = async () => (await checkAnswers(app).request('/things/1')).json();
  await expect(asked()).rejects.toThrow(problem);
});
