import { MongoInvalidArgumentError, MongoNetworkError, MongoServerError } from 'mongodb';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ServiceError } from '../../../src/domain/errors.ts';
import {
  isDeadlock,
  isDuplicate,
  isOutage,
  storageError,
  translated,
  translatedEach,
} from '../../../src/storage/mongo/errors.ts';

const serverError = (code: number, message: string, more: object = {}) =>
  new MongoServerError({ code, message, ...more });

describe('failures of MongoDB', () => {
  test('are the answer when it has not answered for 25 s', async () => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
    const never = new Promise<never>(() => undefined);
    async function* silent() {
      yield await never;
    }
    const refused = [translated(() => never), translatedEach(silent()).next()].map((work) =>
      expect(work).rejects.toMatchObject({ code: 'unavailable', retryAfter: 1 }),
    );
    await vi.advanceTimersByTimeAsync(25_000);
    await Promise.all(refused);
  });

  test.each([
    [14_031, 'available disk space of 5 bytes is less than required minimum'],
    [1, 'could not extend file "base/5/16777": No space left on device'],
    [8_000, 'you are over your space quota, using 513 MB of 512 MB'],
  ])('of a full disk are storage_full: code %i', (code, message) => {
    expect(storageError(serverError(code, message))).toMatchObject({ code: 'storage_full' });
  });

  test.each([
    ['a lost connection', new MongoNetworkError('connection 1 to 127.0.0.1:1 closed')],
    ['a socket that breaks', Object.assign(new Error('write ECONNRESET'), { code: 'ECONNRESET' })],
    ['a primary that steps down', serverError(189, 'stepped down')],
    ['anything else that the server says', serverError(96, 'operation failed')],
  ])('are worth a repeat: %s', (_name, error) => {
    expect(storageError(error)).toMatchObject({ code: 'unavailable', retryAfter: 1 });
  });

  test.each([
    [new MongoNetworkError('connection 1 to 127.0.0.1:1 closed'), true],
    [serverError(11_600, 'interrupted at shutdown'), true],
    [serverError(1, 'sorry, too many clients already'), true],
    [serverError(1, 'remaining connection slots are reserved for superusers'), true],
    [serverError(18, 'Authentication failed'), false],
    [serverError(85, 'An equivalent index exists with a different name'), false],
  ])('are waited for at the start when they may pass: %s', (error, isPassing) => {
    expect(isOutage(error)).toBe(isPassing);
  });

  test('are not translated if they are defects', () => {
    for (const error of [new TypeError('ours'), new MongoInvalidArgumentError('ours')])
      expect(storageError(error)).toBe(error);
  });

  test('are not translated twice', () => {
    const error = new ServiceError('conflict', 'The import was given up.');
    expect(storageError(error)).toBe(error);
  });

  test('contain no documents', () => {
    const error = serverError(96, 'operation failed', {
      writeErrors: [{ err: { op: { jcs: 'very secret' } } }],
    });
    const { cause } = storageError(error) as ServiceError;
    expect(cause).toMatchObject({ name: 'MongoServerError', message: 'operation failed', code: 96 });
    expect(JSON.stringify(Object.entries(cause as Error))).not.toContain('very secret');
  });

  test('are recognized as duplicates by their code', () => {
    expect(isDuplicate(serverError(11_000, 'E11000 duplicate key error'))).toBe(true);
    expect(isDuplicate(serverError(1, 'E11000 duplicate key error'))).toBe(false);
    expect(isDuplicate(undefined)).toBe(false);
  });

  test('are recognized as deadlocks by their code, or by their words if a whole command failed', () => {
    expect(isDeadlock(serverError(16_908_292, 'deadlock detected'))).toBe(true);
    expect(isDeadlock(serverError(1, 'deadlock detected'))).toBe(true);
    expect(isDeadlock(serverError(1, 'out of memory'))).toBe(false);
    expect(isDeadlock(serverError(11_000, 'E11000 duplicate key error'))).toBe(false);
    expect(isDeadlock(undefined)).toBe(false);
  });
});
