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
import { printable } from '../../terminal/printable.ts';
import { statementLimit } from './file-form.ts';
import { offlineSignatures } from './offline-signatures.ts';
import type { StatusOptions } from './verify-credential.ts';

type TrustFinding = Extract<ManifestFinding, { kind: 'trust' }>;

/** The greatest depth that CAIRN_MAX_JSON_DEPTH allows. */
const maxDepth = 256;
const documentMs = 60_000;
const requestMs = 600_000;

/** Verifies a manifest file offline. @param onRead called with the number of bytes read so far. */
export async function* verifyManifestFile(
  path: string,
  form: ManifestForm,
  sources: readonly ContextSource[],
  status: StatusOptions,
  onRead: (bytes: number) => void,
): AsyncGenerator<ManifestFinding, ManifestSummary> {
  await using opened = await openManifestVerification(path, sources, status, onRead);
  return yield* verifyManifest(opened.ports, opened.file, form);
}

/**
 * Opens a manifest file and what verifies it offline, on several threads.
 * @param onRead called with the number of bytes read so far; some are read more than once.
 */
export async function openManifestVerification(
  path: string,
  sources: readonly ContextSource[],
  status: StatusOptions,
  onRead: (bytes: number) => void,
) {
  await using opened = new AsyncDisposableStack();
  const registry = new ContextRegistry(ContextWorld.bundled(), sources);
  const identifier = opened.use(
    new StatementPool({ registry, maxDepth, documentMs, requestMs, waitMs: requestMs }),
  );
  const file = counted(opened.use(await openRandomAccess(path)), onRead);
  const signatures = await offlineSignatures(identifier, status);
  const ports = { identifier, registry, maxStatementBytes: statementLimit, signatures };
  const stack = opened.move();
  return { ports, file, [Symbol.asyncDispose]: () => stack.disposeAsync() };
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

export function findingJson(finding: ManifestFinding): string {
  if (finding.kind !== 'trust') return `${JSON.stringify(finding)}\n`;
  const { isRegistrant, isValid, ...trust } = finding.trust;
  const shown = { ...trust, by_registrant: isRegistrant, valid: isValid };
  return `${JSON.stringify({ kind: 'trust', statement: finding.statement, ...shown })}\n`;
}

/**
 * Findings as lines, and the summary after them.
 * @param isFull a line for each signed statement too. Otherwise valid signatures are counted by their signer.
 */
export function manifestText(path: string, { isFull }: { readonly isFull: boolean }) {
  const signers = new Map<string, { statements: number; asRegistrant: number }>();

  function trustText({ statement, trust }: TrustFinding): string {
    const { state, by = 'an unknown key', isRegistrant, isValid, reason } = trust;
    if (!isFull && state === 'signed' && isValid) {
      const signer = signers.getOrInsert(by, { statements: 0, asRegistrant: 0 });
      signer.statements += 1;
      if (isRegistrant) signer.asRegistrant += 1;
      return '';
    }
    const who = isRegistrant ? `its registrant ${by}` : by;
    return printable(`${state} by ${who}: ${statement}${reason === undefined ? '' : `. ${reason}`}\n`);
  }

  return {
    finding(finding: ManifestFinding): string {
      if (finding.kind === 'trust') return trustText(finding);
      if (finding.kind === 'missing')
        return `missing: ${finding.identifier}, referenced at ${finding.place}\n`;
      return `WRONG at ${finding.place || 'the whole'}: ${finding.reason}\n`;
    },
    summary(summary: ManifestSummary): string {
      const most = [...signers].toSorted(([, one], [, other]) => other.statements - one.statements);
      const counts = most.map(
        ([by, { statements, asRegistrant }]) =>
          `  ${statements} signed by ${by}, ${asRegistrant === statements ? 'all' : asRegistrant} as registrant\n`,
      );
      return summaryText(path, summary) + printable(counts.join(''));
    },
  };
}

export function summaryJson(path: string, summary: ManifestSummary): string {
  const { unverifiedContexts, ...counts } = summary;
  const unverified = { unverified_contexts: unverifiedContexts };
  return `${JSON.stringify({ summary: { file: path, ok: summary.faults === 0, ...counts, ...unverified } })}\n`;
}

function summaryText(path: string, summary: ManifestSummary): string {
  const { statements, blobs, contexts, anchors, missing, faults, uncovered, unverifiedContexts } = summary;
  const { claimed, signed, revoked } = summary;
  const lines = [
    `${path}: ${faults === 0 ? 'verified' : `FAILED, ${faults} ${faults === 1 ? 'problem' : 'problems'}`}`,
    `  ${statements} statements, ${blobs} blobs, ${contexts} contexts, ${anchors} anchors`,
    `  ${signed} signed, ${claimed} only claimed, ${revoked} revoked`,
    ...(missing > 0 ? [`  ${missing} missing: referenced, but not in the manifest`] : []),
    ...(uncovered > 0 ? [`  ${uncovered} statements have content that their id does not cover`] : []),
    ...unverifiedContexts.map(
      (url) => `  the context ${url} is unverified: only the manifest vouches for it`,
    ),
  ];
  return `${lines.join('\n')}\n`;
}
