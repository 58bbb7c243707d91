import { expect, test } from 'vitest';
import { EvidencePool } from '../../workers/evidence-pool.ts';

const xml = Buffer.from('<bom xmlns="http://cyclonedx.org/schema/bom/1.6" version="1"/>');

test('a file that takes too long is refused', async () => {
  await using pool = new EvidencePool(100, 1, () => undefined);
  await expect(pool.read(xml)).rejects.toMatchObject({ code: 'too_complex' });
});

test('a refused file leaves the thread to others', async () => {
  await using pool = new EvidencePool(100, 60_000, () => undefined);
  const [refused, read] = await Promise.allSettled([pool.read(Buffer.from('<bom>')), pool.read(xml)]);
  expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'invalid_evidence' } });
  expect(read).toMatchObject({ status: 'fulfilled', value: { kind: 'cyclonedx' } });
});
