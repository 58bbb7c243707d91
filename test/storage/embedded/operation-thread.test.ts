import { expect, test } from 'vitest';
import { OperationThread } from '../../../src/storage/embedded/threads/operation-thread.ts';

/** A thread that answers with how many calls it has run together. */
const module = `
  import { serve } from '${import.meta.resolve('../../../src/storage/embedded/threads/operation-thread.ts')}';
  serve({
    operations: { call: () => undefined },
    perform(first, next) {
      const calls = [first];
      for (let call = next(); call; call = next()) calls.push(call);
      for (const call of calls) call.done(calls.length);
    },
  });`;

interface Operations {
  call(args: null): number;
}

test('calls of one turn go together, and so do those that come while the thread is busy', async () => {
  const url = new URL(`data:text/javascript,${encodeURIComponent(module)}`);
  await using thread = await OperationThread.open<Operations>('test', url, '');
  const call = () => thread.run('call', null);
  expect(await Promise.all([call(), call(), call()])).toEqual([3, 3, 3]);
  const first = call();
  await new Promise((resolve) => setImmediate(resolve));
  expect(await Promise.all([first, call(), call()])).toEqual([1, 2, 2]);
  expect(await call()).toBe(1);
});
