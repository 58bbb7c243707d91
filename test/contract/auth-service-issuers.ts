import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  authServiceIssuers,
  type IssuerSettings,
  keptIssuer,
} from '../../src/domain/access/auth-service-issuer.ts';
import type { RecordStore } from '../../src/domain/collections/collection.ts';
import { users } from '../../src/domain/control-plane/users.ts';
import { newUser } from './users.ts';

const [a, b] = ['https://auth.example', 'http://127.0.0.1:8080'];

/** The issuer of callers of an auth service stays as it was at its first use, in every store. */
export function authServiceIssuersContract(open: () => Promise<RecordStore & AsyncDisposable>): void {
  describe('the issuer of callers of an auth service', () => {
    let store: RecordStore & AsyncDisposable;
    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store[Symbol.asyncDispose]());
    afterEach(async () => {
      for (const name of ['shared', 'integrity', 'control-plane'])
        await store.of(authServiceIssuers).remove(name);
    });

    const start = async (
      url: string,
      chosen: string | null = null,
      service: IssuerSettings['service'] = 'integrity',
    ) => {
      const ports = { issuers: store.of(authServiceIssuers), users: store.of(users) };
      return await keptIssuer(ports, { service, chosen, url });
    };
    const refused = { code: 'conflict', message: expect.stringContaining('CAIRN_AUTH_SERVICE_ISSUER') };

    test('is that of its first use, and another address is refused', async () => {
      expect(await start(a)).toEqual({ issuer: a, other: null });
      expect(await start(a)).toEqual({ issuer: a, other: null });
      await expect(start(b)).rejects.toMatchObject(refused);
      await expect(start(b)).rejects.toThrow(a);
    });

    test('is what the setting says', async () => {
      await start(a);
      expect(await start(b, a)).toEqual({ issuer: a, other: null });
      expect(await start(b, b)).toEqual({ issuer: b, other: null });
      await expect(start(a)).rejects.toMatchObject(refused);
      expect(await start(b)).toEqual({ issuer: b, other: null });
    });

    test('is the same for both services', async () => {
      await start(a, null, 'control-plane');
      await expect(start(b)).rejects.toMatchObject(refused);
      expect(await start(b, a)).toEqual({ issuer: a, other: null });
    });

    test('stays another one for a service that had users of its own before issuers were kept', async () => {
      const known = 'https://auth.svc';
      await store.of(users).insert([newUser({ issuer: known })]);
      await start(a, null, 'control-plane');
      for (let n = 0; n < 2; n += 1) expect(await start(known)).toEqual({ issuer: known, other: a });
      await expect(start(a)).rejects.toMatchObject(refused);
      expect(await start(known, a)).toEqual({ issuer: a, other: null });
      await expect(start(known)).rejects.toMatchObject(refused);
    });

    test.each([
      ['of one service', 'integrity'],
      ['of both services', 'control-plane'],
    ] as const)('is one, if two processes %s start at once', async (_, other) => {
      const starts = await Promise.allSettled([start(a), start(b, null, other)]);
      expect(starts.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      expect(starts.find(({ status }) => status === 'rejected')).toMatchObject({ reason: refused });
    });
  });
}
