import { afterAll, expect, test } from 'vitest';
import { permissions } from '../../src/domain/access/grants.ts';
import { startProvider } from '../access/provider.ts';
import { newCredential } from '../builders/credentials.ts';
import { json, oidcSettings, sendAs, tokenWith } from './access-world.ts';
import { useService } from './service.ts';

const provider = await startProvider();
const service = useService(oidcSettings(provider));
afterAll(async () => await provider[Symbol.asyncDispose]());

test('anybody may read status lists with CAIRN_PUBLIC_STATUS_LISTS, otherwise any token', async () => {
  const all = await tokenWith(provider, { '*': permissions });
  const path = '/credentials/v1/allocate';
  const { json: credential } = await sendAs(service, all, { method: 'POST', path, ...json(newCredential()) });
  const list = new URL(credential.credentialStatus[0].statusListCredential).pathname;
  const read = async (token?: string) => (await sendAs(service, token, { method: 'GET', path: list })).status;
  expect(await read()).toBe(401);
  expect(await read(await tokenWith(provider, {}))).toBe(200);
  await service.restart({ CAIRN_PUBLIC_STATUS_LISTS: 'true' });
  expect(await read()).toBe(200);
  expect(await read('no-token')).toBe(200);
  const status = `/credentials/v1/status?credential_id=${credential.id}`;
  expect((await sendAs(service, undefined, { method: 'GET', path: status })).status).toBe(401);
});
