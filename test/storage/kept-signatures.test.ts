import { expect, test } from 'vitest';
import {
  keepSignatures,
  type Signature,
  signatures,
} from '../../src/domain/integrity/signatures/signatures.ts';
import { readSettings } from '../../src/platform/settings/settings.ts';
import { openStore } from '../../src/storage/open.ts';
import { newServiceStore } from '../http/service-store.ts';

const unchecked: Signature = {
  id: 'carrier 0',
  carrier: 'carrier',
  about: '0',
  kind: 'dsse',
  signer: null,
  identityIssuer: null,
  result: 'unknown',
  reason: null,
  why: { code: 'no_key_id' },
  rank: 1,
  credentialId: null,
  credentialCid: null,
  validFrom: null,
  validUntil: null,
  issued: null,
  registration: null,
  createdAt: 1,
};

test('a repeated check of a signature about many things writes only what has changed', async () => {
  await using kept = await newServiceStore();
  await using store = await openStore(readSettings(kept.environment), () => undefined);
  const records = store.of(signatures);
  const changed: string[] = [];
  const counted = {
    insert: (some: readonly Signature[]) => records.insert(some),
    among: ((...asked) => records.among(...asked)) as typeof records.among,
    update: ((id, ...rest) => {
      changed.push(id);
      return records.update(id, ...rest);
    }) as typeof records.update,
  };
  const checked = Array.from({ length: 1_200 }, (_, at) => ({
    ...unchecked,
    id: `carrier ${at}`,
    about: String(at),
  }));
  await keepSignatures(counted, checked);
  await keepSignatures(counted, checked);
  expect(changed).toEqual([]);
  const found = { result: 'ok', why: null, signer: 'did:web:a' } as const;
  await keepSignatures(counted, [{ ...unchecked, ...found }, ...checked.slice(1)]);
  expect(changed).toEqual(['carrier 0']);
  expect(await records.get('carrier 0')).toMatchObject(found);
  await keepSignatures(counted, [unchecked, { ...unchecked, ...found }]);
  expect(await records.get('carrier 0')).toMatchObject(found);
});
