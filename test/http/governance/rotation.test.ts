import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useService } from '../service.ts';
import { blobText, newSubject, posted, submission } from './governance.ts';

const service = useService();

test('after a restart with a new key, repeats give the same answers, and new requests use the new key', async () => {
  const [subject, project] = [await newSubject(service), randomUUID()];
  const declare = (more: object = {}) =>
    posted(service, `controls/declaration/${subject}/${project}`, { ...submission, ...more });
  const admit = async (subjectDid: string) => {
    const body = { subjectDid, expiryDate: '2999-12-31' };
    return (await posted(service, `identity/membership/${project}`, body)).credential;
  };
  const before = [await declare(), await admit('did:example:ada')];
  const given = JSON.parse(await readFile(join(service.folder, 'signing-key.json'), 'utf8'));
  const { privateKey } = generateKeyPairSync('ed25519');
  const keys = [privateKey.export({ format: 'jwk' }), ...(given.keys ?? [given])];
  const file = join(service.folder, 'rotated-keys.json');
  await writeFile(file, JSON.stringify({ keys }));
  await service.restart({ CAIRN_SIGNING_KEY_FILE: file });
  expect([await declare(), await admit('did:example:ada')]).toEqual(before);
  const { statement } = await declare({ subjectLine: 'new' });
  expect(statement.registeredBy).not.toBe(before[0].statement.registeredBy);
  const { sourceCid } = await admit('did:example:bob');
  expect(JSON.parse(await blobText(service, sourceCid)).issuer).toBe(statement.registeredBy);
});
