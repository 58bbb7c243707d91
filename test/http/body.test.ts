import { Hono } from 'hono';
import { expect, test } from 'vitest';
import type { AppEnv } from '../../src/platform/http/app-env.ts';
import { readBody } from '../../src/platform/http/body.ts';
import { asCaller, ByteBudget } from '../../src/platform/http/callers.ts';

const mebibyte = 1 << 20;
const plenty = 1 << 30;

test('callers take turns to send large bodies, however many one of them sends', async () => {
  const budget = new ByteBudget({ maxBufferedBytes: plenty, maxCallerBufferedBytes: plenty });
  const read: string[] = [];
  const app = new Hono<AppEnv>().put('/:caller', async (context) => {
    const caller = context.req.param('caller');
    context.set('account', budget.account(caller));
    await asCaller(context, caller, () => readBody(context, { bytes: plenty, setting: null }));
    read.push(caller);
    return context.text('read');
  });
  const put = async (caller: string) => {
    let left = 4;
    const body = new ReadableStream({
      pull(controller) {
        if (left > 0) controller.enqueue(new Uint8Array(mebibyte));
        else controller.close();
        left -= 1;
      },
    });
    await app.request(`/${caller}`, { method: 'PUT', body, duplex: 'half' } as RequestInit);
  };
  await Promise.all([...Array.from({ length: 8 }, () => put('busy')), put('other')]);
  expect(read[0]).toBe('other');
});
