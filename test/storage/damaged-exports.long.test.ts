import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { answerOf } from '../http/service.ts';
import { change } from './embedded/damages.ts';
import { temporaryFolder } from './temporary-folder.ts';

test.each([
  ['progress that is none', "'$.progress', 5"],
  ['progress of nothing', "'$.progress', json('{}')"],
  ['a request that is none', "'$.request', 'text'"],
  ['a request for nothing', "'$.request', json('{}')"],
])(
  'an export whose record has %s is told as damaged, and can be removed with what it has made',
  async (_, sql) => {
    const path = await temporaryFolder();
    const open = () =>
      openIntegrity(readSettings({ CAIRN_DATA_DIR: path, CAIRN_WORKERS: '1' }), pino({ level: 'silent' }));
    let location = '';
    {
      await using integrity = await open();
      const get = async (of: string, headers: Record<string, string> = {}) =>
        await answerOf(await integrity.app.request(of, { headers }));
      location = String((await get('/manifest/v1', { prefer: 'respond-async' })).headers.get('location'));
      await expect.poll(async () => (await get(location)).json.state).toBe('done');
    }
    change({ path }, `UPDATE jobs SET record = json_set(record, ${sql})`);
    {
      await using integrity = await open();
      const send = async (method: string, of: string) =>
        await answerOf(await integrity.app.request(of, { method }));
      for (const address of [location, `${location}/result`]) {
        const { status, json } = await send('GET', address);
        expect({ status, error: json.error }).toEqual({
          status: 500,
          error: expect.stringMatching(
            /^The record of the export .* is damaged\. Remove the export with DELETE/,
          ),
        });
      }
      expect((await send('DELETE', location)).status).toBe(204);
      expect((await send('GET', location)).status).toBe(404);
    }
    await using _again = await open();
    await expect.poll(() => readdir(join(path, 'exports'))).toEqual([]);
  },
);
