import { randomUUID } from 'node:crypto';
import { link, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { openSigner, writeNewKey } from '../../platform/key-file-signer.ts';
import type { Io } from '../terminal/io.ts';
import { say } from '../terminal/output.ts';
import { configFolder } from './client-settings.ts';
import { gitName, nameOwnKey } from './own-name.ts';

export interface OwnKey {
  /** Names this person in `registeredBy`. */
  readonly did: string;
  readonly file: string;
}

/** The key that names this person in statements. It is made at first use. It signs only where `--sign` names it. */
export async function ownKey(io: Pick<Io, 'env' | 'stderr'>): Promise<OwnKey> {
  const file = join(configFolder(io.env), 'key.json');
  const isNew = await makeUnlessThere(file);
  const { did } = await openSigner(file, { mayCreate: false, onWarning: (sentence) => say(io, sentence) });
  if (isNew) {
    say(io, `Made your key ${file}. It names you in statements as ${did}. Keep the file.`);
    const name = await gitName(io.env);
    if (name !== undefined) await nameOwnKey(io.env, file, name);
    say(
      io,
      name === undefined
        ? 'Say who you are with: cairn key name "Your Name"'
        : `Others see you there as "${name}", the name that git has. Change it with: cairn key name`,
    );
  }
  return { did, file };
}

/** Two processes may do this at once: the link of one succeeds. */
async function makeUnlessThere(file: string): Promise<boolean> {
  if (await stat(file).catch(() => undefined)) return false;
  const staged = `${file}.${randomUUID()}`;
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  try {
    await writeNewKey(staged);
    await link(staged, file);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    await rm(staged, { force: true });
  }
}
