import type { ContextRegistry } from '../../src/domain/integrity/contexts/contexts.ts';
import { type ManifestForm, openCarrier } from '../../src/domain/integrity/manifest/carrier.ts';
import { type ManifestFinding, verifyManifest } from '../../src/domain/integrity/manifest/verify.ts';
import type { Identifier } from '../../src/domain/integrity/ports.ts';
import { inMemory } from '../../src/domain/json/random-access.ts';
import { noWitnesses } from '../../src/domain/log/notes/policy.ts';
import type { LogTrust } from '../../src/domain/log/notes/tlog-proof.ts';
import { signatureChecks } from './signatures.ts';

interface Pool {
  readonly registry: ContextRegistry;
  readonly identifier: Identifier;
}

/** All findings of the offline verification of a manifest, and their summary. */
export async function verifiedManifest(
  { registry, identifier }: Pool,
  bytes: Uint8Array,
  form: ManifestForm = 'json',
  logs: LogTrust = { logs: [], policy: noWitnesses },
) {
  const signatures = await signatureChecks(identifier);
  const ports = { identifier, registry, maxStatementBytes: 1 << 20, signatures, logs };
  const findings: ManifestFinding[] = [];
  const verification = verifyManifest(ports, openCarrier(inMemory(bytes), form));
  let next = await verification.next();
  for (; !next.done; next = await verification.next()) findings.push(next.value);
  return { findings, summary: next.value };
}
