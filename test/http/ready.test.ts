import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { graceMs } from '../../src/http/health.ts';
import { openIntegrity } from '../../src/integrity.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { send } from './service.ts';

describe('GET /ready', () => {
  test('stays 200 for a minute while blobs cannot be read, then 503, and liveness stays 200', async () => {
    using folder = temporaryFolder();
    const lines: { level: number; msg: string }[] = [];
    const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) });
    const settings = readSettings({ CAIRN_DATA_DIR: folder.path, CAIRN_WORKERS: '1' });
    await using service = await openIntegrity(settings, log);
    vi.useFakeTimers({ toFake: ['performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const ask = async (path: string) => {
      const { status, json } = await send(service, 'GET', path);
      return [status, json.problem ?? json.error ?? json.status];
    };
    const ready = [200, 'up'];
    expect(await ask('/ready')).toEqual(ready);
    const blobs = join(folder.path, 'blobs');
    renameSync(blobs, `${blobs}-away`);
    const [, problem] = await ask('/ready');
    expect(await ask('/ready')).toEqual([200, problem]);
    expect(problem).toContain('store');
    vi.advanceTimersByTime(graceMs);
    expect([await ask('/ready'), await ask('/health/v1')]).toEqual([[503, problem], ready]);
    renameSync(`${blobs}-away`, blobs);
    expect(await Promise.all([ask('/ready'), ask('/ready')])).toEqual([ready, ready]);
    // Work in the background may log, too, that it cannot read blobs.
    const told = lines.filter(({ msg }) => msg.startsWith('The service is'));
    expect(told.map(({ level, msg }) => [level, msg])).toEqual([
      [40, `The service is not ready: ${problem}`],
      [30, 'The service is ready again.'],
    ]);
  });

  test('is 503 from the start while the store does not work', async () => {
    using folder = temporaryFolder();
    const settings = readSettings({ CAIRN_DATA_DIR: folder.path, CAIRN_WORKERS: '1' });
    await using service = await openIntegrity(settings, pino({ level: 'silent' }));
    renameSync(join(folder.path, 'blobs'), join(folder.path, 'away'));
    expect((await send(service, 'GET', '/ready')).status).toBe(503);
  });
});
