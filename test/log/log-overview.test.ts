import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { parseVkey } from '../../src/domain/log/notes/vkey.ts';
import { listen } from '../../src/platform/http/server.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { testWitness } from '../builders/test-witness.ts';
import { send, useService } from '../http/service.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const service = useService();

async function put(name: string) {
  const statements = [ownStatement('DataRegistration', { data: [blobUrn(name)] })];
  await send(service, 'PUT', '/statements/v1/batch', { statements, generate_id: true });
}
const overview = async () => (await send(service, 'GET', '/log/v1/overview')).json;

describe('the page of the log', () => {
  test('shows size, key, newest entries and witnesses', async () => {
    await put('one');
    await expect.poll(async () => (await overview()).published?.entries).toBeGreaterThan(0);
    const alone = await overview();
    expect(alone).toMatchObject({ warnings: [], witnesses: [], published: { witnesses: [] } });
    expect(alone.heads[0]).toMatchObject({ entry: alone.entries - 1, size: 1 });
    using folder = temporaryFolder();
    const witness = testWitness('w1', parseVkey(alone.keys[0]));
    const server = await listen({ fetch: (request) => witness.answer(request), host: '127.0.0.1', port: 0 });
    onTestFinished(() => server.stop(0));
    const policy = join(folder.path, 'policy');
    writeFileSync(policy, `${witness.line.replace(witness.url, server.url)}\nquorum w1\n`);
    await service.restart({ CAIRN_LOG_WITNESSES: policy });
    await put('two');
    await expect.poll(overview, { timeout: 5_000 }).toMatchObject({
      published: {
        entries: alone.entries + 1,
        witnesses: [{ name: 'w1', at: expect.stringMatching(/^20/) }],
      },
      witnesses: [{ name: 'w1', entries: alone.entries + 1, problem: null }],
    });
    const statement = ownStatement('DataRegistration', { data: [blobUrn('two')] });
    const { jcs_cid } = (
      await send(service, 'POST', '/utils/v1/integrity/statement/compute-id', { statement })
    ).json;
    const receipt = await (await service.app.request(`/log/v1/proof/${jcs_cid}`)).text();
    const forged = `${receipt}— stranger ${Buffer.alloc(76, 1).toString('base64')}\n`;
    for (const one of [receipt, forged]) {
      const checked = await send(service, 'POST', '/log/v1/receipt-check', one, {
        'content-type': 'text/plain',
      });
      expect(checked.json.witnesses).toMatchObject([{ name: 'w1' }]);
    }
    const page = await (await service.app.request('/ui/log')).text();
    expect(page).toContain('<h1>Log</h1>');
    expect(page).toContain('id="receipt"');
  });

  test('says why a receipt does not hold', async () => {
    const headers = { 'content-type': 'text/plain' };
    const { status, json } = await send(service, 'POST', '/log/v1/receipt-check', 'nonsense', headers);
    expect([status, json.code]).toEqual([400, 'invalid_proof']);
    expect(json.error).toContain('c2sp.org/tlog-proof@v1');
    const large = await send(service, 'POST', '/log/v1/receipt-check', 'x'.repeat(1_000_000), headers);
    expect(large.status).toBe(413);
  });
});
