import { expect, test, vi } from 'vitest';
import { cairn, startService } from '../cli/run-cairn.ts';
import { newServiceStore } from '../http/service-store.ts';
import { databaseVersion, describeMongo, newDatabase } from '../storage/mongo/database.ts';

const quick = 'serverSelectionTimeoutMS=200&connectTimeoutMS=200';

describeMongo('cairn serve on MongoDB', () => {
  test('requires a shared signing key', async () => {
    const url = { CAIRN_MONGODB_URL: 'mongodb://localhost/', CAIRN_PUBLIC_URL: 'https://cairn.example' };
    const env = { ...url, CAIRN_JOBS: 'in-process' };
    const { code, stderr } = await cairn(['serve'], { env });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(/^CAIRN_MONGODB_URL is set, but CAIRN_SIGNING_KEY_FILE is not\. .*\n$/),
    });
  });

  test('never prints the password', async () => {
    const url = 'mongodb://cairn:very-secret@127.0.0.1:1/';
    const config = await cairn(['config'], { env: { CAIRN_MONGODB_URL: url } });
    expect(config.stdout).toMatch(/^CAIRN_MONGODB_URL\s+••••••\s+set/m);
    const nonsense = await cairn(['serve'], { env: { CAIRN_MONGODB_URL: 'very-secret' } });
    expect(nonsense.stderr).toMatch(/^CAIRN_MONGODB_URL="…" must be a MongoDB connection string/);
    expect(JSON.stringify([config, nonsense])).not.toContain('very-secret');
  });

  test('exits with 3 if MongoDB does not answer in time, and with 2 if the password is wrong', async () => {
    await using store = await newServiceStore('mongodb');
    const serve = async (url: string) =>
      await cairn(['serve', '--port', '0'], {
        env: { ...store.environment, CAIRN_MONGODB_URL: url, CAIRN_START_WAIT: '500ms' },
      });
    const unreachable = await serve(`mongodb://cairn:very-secret@127.0.0.1:1/?${quick}`);
    expect(unreachable.code).toBe(3);
    expect(unreachable.stderr).toMatch(
      /"level":40,.*"msg":"Waiting for MongoDB at 127\.0\.0\.1:1 .*ECONNREFUSED/,
    );
    expect(unreachable.stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^MongoDB at 127\.0\.0\.1:1 .* was not reached within 0\.5 s .*CAIRN_MONGODB_URL\.$/,
    );
    const wrong = new URL(newDatabase().url);
    wrong.username = 'cairn';
    wrong.password = 'very-secret';
    const refused = await serve(wrong.href);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/the user or the password is wrong/);
    expect(JSON.stringify([unreachable, refused])).not.toContain('very-secret');
  });

  test('exits with 2 on a database of a newer version', async () => {
    await using store = await newServiceStore('mongodb');
    const address = {
      url: String(store.environment.CAIRN_MONGODB_URL),
      name: String(store.environment.CAIRN_MONGODB_DATABASE),
    };
    await databaseVersion(address, 99);
    const { code, stderr } = await cairn(['serve', '--port', '0'], { env: store.environment });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: expect.stringMatching(
        /^The database ".*" was written by another version of Cairn \(schema 99.*\n$/,
      ),
    });
  });

  test('shares content and run-time limits between processes', async () => {
    await using store = await newServiceStore('mongodb');
    await using one = await startService(store.environment);
    await using other = await startService(store.environment);
    const limits = { blob_store_fetch_concurrency_limit: 5, blob_store_write_concurrency_limit: 7 };
    await request(one.url, 'PUT', '/dynamic-config/v1', JSON.stringify(limits), 'application/json');
    const { cid } = JSON.parse(
      await request(one.url, 'PUT', '/store/v1/blob', 'stored by one', 'application/octet-stream'),
    );
    expect(await request(other.url, 'GET', `/store/v1/blob/${cid}`)).toBe('stored by one');
    await vi.waitFor(
      async () => expect(JSON.parse(await request(other.url, 'GET', '/dynamic-config/v1'))).toEqual(limits),
      10_000,
    );
  });
});

async function request(
  url: string,
  method: string,
  path: string,
  body?: string,
  contentType = '',
): Promise<string> {
  const response = await fetch(`${url}${path}`, {
    method,
    ...(body !== undefined && { body, headers: { 'content-type': contentType } }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
