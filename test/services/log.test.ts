import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { logStateOf } from '../../src/composition/log-state.ts';
import { takeNewOrigin } from '../../src/composition/new-origin.ts';
import { turnOf } from '../../src/domain/log/appending/turns.ts';
import { logTurns, publishingTurn } from '../../src/domain/log/records.ts';
import { logWarnings } from '../../src/http/integrity/log/log-warnings.ts';
import { writeNewKey } from '../../src/platform/key-file-signer.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openStore } from '../../src/storage/open.ts';
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

  test('any process warns while none publishes the log', async () => {
    await using kept = await newServiceStore('mongodb');
    const settings = readSettings({ ...kept.environment, CAIRN_LOG_KEY_FILE: file });
    await using store = await openStore(settings, () => undefined);
    const warnings = async () => await logWarnings(logStateOf(store, settings));
    expect(await warnings()).toEqual([expect.stringContaining('Start one: "cairn serve jobs"')]);
    const now = () => store.now().getTime();
    const turn = turnOf(store.of(logTurns), { key: publishingTurn, holder: 'one', ms: 8_000, now });
    await turn.take();
    expect(await warnings()).toEqual([]);
    await turn.end();
    expect(await warnings()).toHaveLength(1);
  });

  test('a new origin needs the key of the log', async () => {
    await using kept = await newServiceStore('mongodb');
    const taken = takeNewOrigin(readSettings(kept.environment), 'log.example/new', () => undefined);
    await expect(taken).rejects.toThrow('Set CAIRN_LOG_KEY_FILE');
  });
});
