import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { takeNewOrigin } from '../../src/composition/new-origin.ts';
import { writeNewKey } from '../../src/platform/key-file-signer.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { logRoutesContract } from '../http/log/log-routes.ts';
import { useService } from '../http/service.ts';
import { newServiceStore } from '../http/service-store.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('on MongoDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-log-'));
  const file = join(folder, 'log-key.json');
  beforeAll(async () => void (await writeNewKey(file)));
  logRoutesContract(useService({ CAIRN_LOG_KEY_FILE: file }, undefined, 'mongodb'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('a new origin needs the key of the log', async () => {
    await using kept = await newServiceStore('mongodb');
    const taken = takeNewOrigin(readSettings(kept.environment), 'log.example/new', () => undefined);
    await expect(taken).rejects.toThrow('Set CAIRN_LOG_KEY_FILE');
  });
});
