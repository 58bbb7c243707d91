import { access, chmod, mkdtemp, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { writeNewKey } from '../../../src/platform/key-file-signer.ts';
import { openLogKeys } from '../../../src/platform/log-keys.ts';
import { useService } from '../service.ts';
import { logRoutesContract } from './log-routes.ts';

const service = useService();
logRoutesContract(service);

describe('the key of a log', () => {
  async function newFile(): Promise<string> {
    const folder = await mkdtemp(join(tmpdir(), 'cairn-key-'));
    onTestFinished(() => rm(folder, { recursive: true }));
    return join(folder, 'key.json');
  }

  it.each([
    ['missing', 'there is no such file', async () => undefined],
    [
      'readable by others',
      'every user of this machine can read or change it. Run: chmod 600',
      async (file: string) => {
        await writeNewKey(file);
        await chmod(file, 0o604);
      },
    ],
    [
      'of another type',
      'it holds a key of the type ec, and the log needs ed25519',
      async (file: string) => {
        await writeNewKey(file, 'P-256');
      },
    ],
    [
      'a JWK of something else',
      'it is no private key in the form of a JWK or PEM',
      (file: string) => writeFile(file, '{"kty":"x"}', { mode: 0o600 }),
    ],
    [
      'a text',
      'it is no private key in the form of a JWK or PEM',
      (file: string) => writeFile(file, 'junk', { mode: 0o600 }),
    ],
  ])('is refused if it is %s', async (_what, reason, make) => {
    const file = await newFile();
    await make(file);
    await expect(openLogKeys({ file, mayCreate: false }, null)).rejects.toThrow(
      `The log key ${file} (CAIRN_LOG_KEY_FILE) cannot be used: ${reason}`,
    );
  });

  it('is not made anew when a log that was published has lost it', async () => {
    await service.restart();
    const [file, moved] = ['log-key.json', 'moved.json'].map((name) => join(service.folder, name)) as [
      string,
      string,
    ];
    await expect.poll(async () => (await service.app.request('/log/v1/checkpoint')).status).toBe(200);
    await rename(file, moved);
    await expect(service.restart()).rejects.toThrow(
      `The log key ${file} (CAIRN_LOG_KEY_FILE) cannot be used: there is no such file. Copy the key that has signed this log there`,
    );
    await expect(access(file)).rejects.toThrow();
    await rename(moved, file);
    await service.restart().catch(() => service.restart());
  });

  it('must be that of the checkpoints that were published', async () => {
    const file = await newFile();
    await writeNewKey(file);
    await expect(service.restart({ CAIRN_LOG_KEY_FILE: file })).rejects.toThrow('is not the key of this log');
    await service.restart().catch(() => service.restart());
  });
});
