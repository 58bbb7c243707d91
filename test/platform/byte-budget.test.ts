import { describe, expect, test } from 'vitest';
import { ByteBudget } from '../../src/platform/http/callers.ts';

const refused = { code: 'unavailable', retryAfter: 1 };

describe('a byte budget', () => {
  test('refuses a caller beyond the share of one caller, and serves others', () => {
    const budget = new ByteBudget({ maxBufferedBytes: 100, maxCallerBufferedBytes: 40 });
    using one = budget.account('one');
    one.take(40);
    using again = budget.account('one');
    expect(() => again.take(1)).toThrow(expect.objectContaining(refused));
    using other = budget.account('other');
    other.take(40);
  });

  test('refuses everybody beyond the total', () => {
    const budget = new ByteBudget({ maxBufferedBytes: 100, maxCallerBufferedBytes: 60 });
    using one = budget.account('one');
    using other = budget.account('other');
    one.take(60);
    other.take(40);
    expect(() => other.take(1)).toThrow(expect.objectContaining(refused));
  });

  test('gets the bytes of an account back when it is closed', () => {
    const budget = new ByteBudget({ maxBufferedBytes: 100, maxCallerBufferedBytes: 100 });
    for (let request = 0; request < 3; request += 1) {
      using account = budget.account('one');
      account.take(60);
      account.take(40);
    }
    budget.account('one').take(100);
  });

  test('says that no retry helps when one request needs more than the share of a caller', () => {
    const budget = new ByteBudget({ maxBufferedBytes: 100, maxCallerBufferedBytes: 40 });
    using account = budget.account('one');
    expect(() => account.take(41)).toThrow(
      expect.objectContaining({
        code: 'too_large',
        message: expect.stringContaining('CAIRN_MAX_CALLER_BUFFERED_BYTES'),
      }),
    );
  });
});
