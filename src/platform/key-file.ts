import { generateKeyPairSync } from 'node:crypto';
import { rm, writeFile } from 'node:fs/promises';

/** Makes a private key and writes it as a JWK, readable by its owner only. @throws `EEXIST` if the file exists. */
export async function writeNewKey(file: string, curve: 'Ed25519' | 'P-256' = 'Ed25519'): Promise<string> {
  const { privateKey } =
    curve === 'Ed25519' ? generateKeyPairSync('ed25519') : generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const text = `${JSON.stringify(privateKey.export({ format: 'jwk' }))}\n`;
  try {
    await writeFile(file, text, { mode: 0o600, flag: 'wx', flush: true });
  } catch (error) {
    // A full disk leaves half a key.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') await rm(file, { force: true });
    throw error;
  }
  return text;
}
