import { basename } from 'node:path';
import { codecs, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { reportOnManifest } from '../../../domain/integrity/report/manifest.ts';
import type { Report } from '../../../domain/integrity/report/report.ts';
import { fileCid } from '../../client/local-files.ts';
import {
  type CarriedFile,
  type ManifestTrustOptions,
  openManifestVerification,
} from '../verify/verify-manifest.ts';

/** Reports on a manifest offline. */
export async function manifestReport(
  { path, form }: CarriedFile,
  sources: readonly ContextSource[],
  { subject, ...trust }: ManifestTrustOptions & { readonly subject?: string },
  onRead: (bytes: number) => void,
): Promise<Report> {
  const { cid, size } = await fileCid(path, { codec: codecs.raw, multihash: 'blake3' });
  const source = { kind: 'manifest', file: basename(path), size, digest: digestHex(cid) } as const;
  await using opened = await openManifestVerification(path, sources, trust, onRead);
  const reporting = { ...opened.ports, now: () => new Date() };
  return await reportOnManifest(reporting, opened.file, form, { source, subject });
}
