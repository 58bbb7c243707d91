import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll } from 'vitest';
import { preAuthenticationEncoding } from '../../src/domain/integrity/proofs/dsse.ts';
import { newKey, type TestKey } from '../builders/keys.ts';
import { startSigstore } from '../builders/sigstore.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { useService } from './service.ts';

/** A service that trusts a Sigstore and a key for DSSE envelopes, which it calls `build`, for all tests of a file. */
export async function useTrustingService() {
  const folder = temporaryFolder();
  const key = newKey('P-256');
  const sigstore = await startSigstore();
  afterAll(async () => {
    folder[Symbol.dispose]();
    await sigstore[Symbol.asyncDispose]();
  });

  function fileWith(name: string, content: object): string {
    writeFileSync(join(folder.path, name), JSON.stringify(content));
    return join(folder.path, name);
  }

  const service = useService({
    CAIRN_DSSE_KEYS_FILE: fileWith('keys.json', { keys: [{ ...key.jwk, kid: 'build' }] }),
    CAIRN_SIGSTORE_TRUSTED_ROOT: fileWith('trusted_root.json', sigstore.trustedRoot),
  });
  return { service, sigstore, key, fileWith };
}

export function dsseEnvelope(by: TestKey, keyid: string, payloadType: string, content: string) {
  const payload = Buffer.from(content);
  const sig = by.sign(preAuthenticationEncoding(payloadType, payload)).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid, sig }] };
}
