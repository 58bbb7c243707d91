import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { describeWith } from '../describe-with.ts';

const absence = 'there is no Redis (CAIRN_TEST_REDIS_URL)';
const url = process.env.CAIRN_TEST_REDIS_URL;

/** A suite that needs Redis. */
export function describeRedis(name: string, suite: () => void): void {
  describeWith(!url && absence, name, suite);
}

/** A fresh key prefix. Remove its keys with `removeKeys`. */
export function newKeys(): { readonly url: string; readonly prefix: string } {
  if (!url) throw new Error(absence);
  return { url, prefix: `cairn-test-${randomUUID()}` };
}

export async function removeKeys({ url: address, prefix }: { url: string; prefix: string }): Promise<void> {
  const redis = new Redis(address);
  for await (const keys of redis.scanStream({ match: `${prefix}:*`, count: 1_000 }))
    if (keys.length > 0) await redis.del(...(keys as string[]));
  redis.disconnect();
}

/** Creates a Redis user with ACL rules. Disposing removes the user. */
export async function newUser(...rules: string[]) {
  const { url: address, prefix: name } = newKeys();
  const password = randomUUID();
  const redis = new Redis(address);
  await redis.acl('SETUSER', name, 'on', `>${password}`, '~*', '&*', ...rules);
  return {
    name,
    password,
    async [Symbol.asyncDispose]() {
      await redis.acl('DELUSER', name);
      redis.disconnect();
    },
  };
}
