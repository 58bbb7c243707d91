import { StatementPool } from '../../../../workers/statement-pool.ts';
import { ContextRegistry } from '../../../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../../domain/integrity/contexts/world.ts';
import type { ManifestForm } from '../../../domain/integrity/manifest/carrier.ts';
import {
  type ManifestFinding,
  type ManifestSummary,
  verifyManifest,
} from '../../../domain/integrity/manifest/verify.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import type { RandomAccess } from '../../../domain/json/random-access.ts';
import { openRandomAccess } from '../../client/random-access-file.ts';
import { statementLimit } from './file-form.ts';

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/**
 * Verifies a manifest file offline, on several threads.
 * @param onRead called with the number of bytes read so far; some are read more than once.
 */
export async function* verifyManifestFile(
  path: string,
  form: ManifestForm,
  sources: readonly ContextSource[],
  onRead: (bytes: number) => void,
): AsyncGenerator<ManifestFinding, ManifestSummary> {
  const registry = new ContextRegistry(ContextWorld.bundled(), sources);
  await using identifier = new StatementPool({
    registry,
    maxDepth,
    documentMs,
    requestMs,
    waitMs: requestMs,
  });
  await using file = await openRandomAccess(path);
  const ports = { identifier, registry, maxStatementBytes: statementLimit };
  return yield* verifyManifest(ports, counted(file, onRead), form);
}

function counted(file: RandomAccess, onRead: (bytes: number) => void): RandomAccess {
  let read = 0;
  return {
    size: file.size,
    async read(offset, length) {
      const bytes = await file.read(offset, length);
      read += bytes.length;
      onRead(read);
      return bytes;
    },
  };
}

export function findingText(finding: ManifestFinding): string {
  if (finding.kind === 'missing') return `missing: ${finding.identifier}, referenced at ${finding.place}\n`;
  return `WRONG at ${finding.place || 'the whole'}: ${finding.reason}\n`;
}

export function summaryJson(path: string, summary: ManifestSummary): string {
  const { unverifiedContexts, ...counts } = summary;
  const unverified = { unverified_contexts: unverifiedContexts };
  return `${JSON.stringify({ summary: { file: path, ok: summary.faults === 0, ...counts, ...unverified } })}\n`;
}

export function summaryText(path: string, summary: ManifestSummary): string {
  const { statements, blobs, contexts, anchors, missing, faults, uncovered, unverifiedContexts } = summary;
  const lines = [
    `${path}: ${faults === 0 ? 'verified' : `FAILED, ${faults} ${faults === 1 ? 'problem' : 'problems'}`}`,
    `  ${statements} statements, ${blobs} blobs, ${contexts} contexts, ${anchors} anchors`,
    ...(missing > 0 ? [`  ${missing} missing: referenced, but not in the manifest`] : []),
    ...(uncovered > 0 ? [`  ${uncovered} statements have content that their id does not cover`] : []),
    ...unverifiedContexts.map(
      (url) => `  the context ${url} is unverified: only the manifest vouches for it`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
