import { expect, test } from 'vitest';
import type { GovernanceRecord } from '../../src/domain/integrity/governance/governance-records.ts';
import { governanceStatus, type StatusPorts } from '../../src/domain/integrity/governance/status.ts';

const issuedAt = Date.UTC(2026, 0, 31, 12);
const hour = 3_600_000;

test.each([
  ['valid', -30_000],
  ['valid', hour],
  ['not_yet_valid', -hour],
  ['expired', 3 * hour],
])('a certificate is %s at a clock that is %i ms after its issue', async (standing, later) => {
  const record = {
    kind: 'membership',
    credentialId: 'urn:uuid:0199b6f2-0000-7000-8000-000000000000',
    policyCid: null,
    controlCids: [],
    createdAt: issuedAt,
    validUntil: issuedAt + 2 * hour,
  } as Partial<GovernanceRecord>;
  const ports = {
    governanceRecords: { page: async () => ({ records: [record] }) },
    statusEntries: { among: async () => [[]] },
    governanceDocuments: { page: async () => ({ records: [] }) },
    blobs: {},
    now: () => new Date(issuedAt + later),
  } as unknown as StatusPorts;
  const { certificates } = await governanceStatus(ports, 'did:key:z6Mk', 'project');
  expect(certificates).toMatchObject([{ standing }]);
});
