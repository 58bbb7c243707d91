import { beforeEach, expect, test } from 'vitest';
import { livesMs, RecentAnswers, refreshedMs } from '../../../src/domain/admission/recent-answers.ts';

let now = 0;
let asked: PromiseWithResolvers<string>[] = [];
let recent: RecentAnswers<string>;
/** Lets promises that are resolved run their reactions. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

beforeEach(() => {
  now = 0;
  asked = [];
  recent = new RecentAnswers({
    ask: () => {
      asked.push(Promise.withResolvers());
      return asked.at(-1)?.promise ?? Promise.reject(new Error());
    },
    clock: () => now,
    random: () => 0,
  });
});

async function answerAt(time: number, question: number, answer: string) {
  now = time;
  asked[question]?.resolve(answer);
  await settled();
}

test('questions that come together are asked once', async () => {
  const all = [recent.get('a'), recent.get('a'), recent.get('a')];
  await answerAt(5, 0, 'pass');
  expect(await Promise.all(all)).toEqual(['pass', 'pass', 'pass']);
  expect(asked).toHaveLength(1);
});

test('an answer that is in use is asked for again before it is a second old, and nobody waits for that', async () => {
  void recent.get('a');
  await answerAt(5, 0, 'pass');
  now = refreshedMs - 1;
  expect(await recent.get('a')).toBe('pass');
  expect(asked).toHaveLength(1);
  now = refreshedMs;
  expect(await recent.get('a')).toBe('pass');
  expect(asked).toHaveLength(2);
  await answerAt(refreshedMs + 10, 1, 'fail');
  expect(await recent.get('a')).toBe('fail');
});

test('an answer is used for a second after its question was sent, however late it came', async () => {
  void recent.get('a');
  await answerAt(900, 0, 'pass');
  now = livesMs;
  const next = recent.get('a');
  await answerAt(livesMs + 20, 1, 'fail');
  expect(await next).toBe('fail');
});

test('nobody joins a question that was sent a second ago', async () => {
  const first = recent.get('a');
  now = livesMs;
  const second = recent.get('a');
  await answerAt(livesMs + 10, 1, 'fail');
  expect(await second).toBe('fail');
  await answerAt(livesMs + 20, 0, 'pass');
  expect(await first).toBe('pass');
  // The late answer to the older question does not replace the newer one.
  expect(await recent.get('a')).toBe('fail');
});

test('a refresh that fails leaves the answer to its second, and then the failure is told', async () => {
  void recent.get('a');
  await answerAt(0, 0, 'pass');
  now = refreshedMs;
  expect(await recent.get('a')).toBe('pass');
  asked[1]?.reject(new Error('away'));
  await settled();
  now = livesMs - 1;
  expect(await recent.get('a')).toBe('pass');
  now = livesMs;
  const next = recent.get('a');
  for (const { reject } of asked) reject(new Error('away'));
  await expect(next).rejects.toThrow('away');
});
