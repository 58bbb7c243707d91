import { expect, test } from 'vitest';
import { ServiceError } from '../../src/domain/errors.ts';

test('an error lists at most 100 problems', () => {
  const details = Array.from({ length: 250 }, (_, index) => ({ index, reason: 'wrong' }));
  const error = new ServiceError('invalid_request', 'Many problems.', { details });
  expect(error.details).toEqual(details.slice(0, 100));
});

test('the message, pointers and reasons of an error are cut', () => {
  const long = 'x'.repeat(100_000);
  const error = new ServiceError('invalid_request', long, {
    details: [{ pointer: `/${long}`, reason: long }],
  });
  expect(error.message).toMatch(/^x{2000}…$/);
  expect(error.details?.[0]?.pointer).toMatch(/^\/x{1999}…$/);
  expect(error.details?.[0]?.reason).toMatch(/^x{2000}…$/);
});

test('a short error stays as it is', () => {
  const details = [{ pointer: '/a', reason: 'wrong' }];
  const error = new ServiceError('invalid_request', 'One problem.', { details });
  expect(error.message).toBe('One problem.');
  expect(error.details).toEqual(details);
});
