import { join } from 'node:path';
import { test } from 'vitest';
import { expectUpToDate, unpackOldStore } from '../../contract/old-store.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

test('a folder of Cairn 0.1.0 opens and is brought up to date', async () => {
  using folder = temporaryFolder();
  const answers = unpackOldStore('embedded-4', folder.path);
  const environment = {
    CAIRN_DATA_DIR: join(folder.path, 'embedded'),
    CAIRN_PUBLIC_URL: 'https://cairn.example',
  };
  await expectUpToDate(environment, answers);
  // A second start finds nothing to do.
  await expectUpToDate(environment, answers);
});
