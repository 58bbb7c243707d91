import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, test } from 'vitest';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { send } from './service.ts';

describe('GET /ready', () => {
  test('is 503 while blobs cannot be read, and liveness stays 200', async () => {
    using folder = temporaryFolder();
    const settings = readSettings({ CAIRN_DATA_DIR: folder.path, CAIRN_WORKERS: '1' });
    await using service = await openIntegrity(settings, pino({ level: 'silent' }));
    const status = async (path: string) => (await send(service, 'GET', path)).status;
    expect(await status('/ready')).toBe(200);
    const blobs = join(folder.path, 'blobs');
    renameSync(blobs, `${blobs}-away`);
    expect([await status('/ready'), await status('/health/v1')]).toEqual([503, 200]);
    renameSync(`${blobs}-away`, blobs);
    const [one, other] = await Promise.all([status('/ready'), status('/ready')]);
    expect([one, other]).toEqual([200, 200]);
  });
});
