import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseDidKey } from '../../src/domain/integrity/identifiers/did-key.ts';
import { newKey } from '../builders/keys.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { send, useService } from './service.ts';

const service = useService();

test.each(['/.well-known/did.json', '/did.json'])(
  '%s is 404 without an https CAIRN_PUBLIC_URL',
  async (path) => {
    await service.restart({ CAIRN_PUBLIC_URL: 'http://cairn.example' });
    const { status, json } = await send(service, 'GET', path);
    expect([status, json.code, json.error]).toEqual([
      404,
      'not_found',
      expect.stringMatching(/CAIRN_PUBLIC_URL.* did:key:z6Mk/),
    ]);
  },
);

test.each(['/.well-known/did.json', '/did.json'])('%s has the active and the former keys', async (path) => {
  using folder = temporaryFolder();
  const file = join(folder.path, 'keys.json');
  const [active, former] = [newKey(), newKey()];
  const keys = [active.privateKey.export({ format: 'jwk' }), former.jwk];
  writeFileSync(file, JSON.stringify({ keys }), { mode: 0o600 });
  await service.restart({ CAIRN_PUBLIC_URL: 'https://cairn.example:8443/', CAIRN_SIGNING_KEY_FILE: file });
  const { status, json, headers } = await send(service, 'GET', path);
  expect([status, headers.get('access-control-allow-origin')]).toEqual([200, '*']);
  expect(json).toMatchObject({ id: 'did:web:cairn.example%3A8443', alsoKnownAs: [active.did] });
  const dids = json.verificationMethod.map(
    ({ publicKeyMultibase }: { publicKeyMultibase: string }) =>
      parseDidKey(`did:key:${publicKeyMultibase}`).did,
  );
  expect(dids).toEqual([active.did, former.did]);
});
