import { expect, test } from 'vitest';
import { cairn } from '../cli/run-cairn.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeRedis, newUser } from '../queues/redis.ts';

describeRedis('cairn serve and its Redis', () => {
  async function serve(change: (url: URL) => void) {
    await using store = await newServiceStore('mongodb');
    const url = new URL(store.environment.CAIRN_REDIS_URL ?? '');
    change(url);
    return await cairn(['serve', '--port', '0'], {
      env: { ...store.environment, CAIRN_REDIS_URL: url.href, CAIRN_START_WAIT: '500ms' },
    });
  }
  /** Without the log, which ends when the process does. */
  const said = (text: string) => text.replaceAll(/^\{.*\n/gm, '');

  test('ends with 2 when Redis does not let its user in, and never prints the password', async () => {
    const { code, stdout, stderr } = await serve((url) => {
      url.username = 'nobody';
      url.password = 'very-secret';
    });
    expect({ code, said: said(stderr) }).toEqual({
      code: 2,
      said: expect.stringMatching(/^Redis cannot be used: WRONGPASS .*\. Correct CAIRN_REDIS_URL\.\n$/m),
    });
    expect(stdout + stderr).not.toContain('very-secret');
  });

  test('ends with 2 when Redis has no database of that number, instead of using another one', async () => {
    const { code, stderr } = await serve((url) => {
      url.pathname = '/9999';
    });
    expect({ code, said: said(stderr) }).toEqual({
      code: 2,
      said: expect.stringMatching(
        /^Redis cannot be used: ERR DB index is out of range\. Correct CAIRN_REDIS_URL\.\n$/m,
      ),
    });
  });

  test('ends with 2 when its user may not do there what the queue does', async () => {
    await using user = await newUser('+@all', '-info');
    const { code, stderr } = await serve((url) => {
      url.username = user.name;
      url.password = user.password;
    });
    expect({ code, said: said(stderr) }).toEqual({
      code: 2,
      said: expect.stringMatching(/^Redis cannot be used: NOPERM .*'info'.*\. Correct CAIRN_REDIS_URL\.\n$/m),
    });
  });

  test('ends with 3, and says why, when Redis cannot be reached', async () => {
    const { code, stderr } = await serve((url) => {
      url.host = '127.0.0.1:1';
    });
    expect({ code, said: said(stderr) }).toEqual({
      code: 3,
      said: expect.stringMatching(
        /^Redis was not reached within 0\.5 s \(CAIRN_START_WAIT\): connect ECONNREFUSED 127\.0\.0\.1:1\. Start it/m,
      ),
    });
  });
});
