import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { writeNewKey } from '../../src/platform/key-file-signer.ts';
import { logRoutesContract } from '../http/log/log-routes.ts';
import { useService } from '../http/service.ts';
import { describeMongo } from '../storage/mongo/database.ts';

describeMongo('on MongoDB', () => {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-log-'));
  const file = join(folder, 'log-key.json');
  beforeAll(async () => void (await writeNewKey(file)));
  logRoutesContract(useService({ CAIRN_LOG_KEY_FILE: file }, undefined, 'mongodb'));
  afterAll(() => rmSync(folder, { recursive: true }));
});
