import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { codecs, digestHex } from '../../../domain/integrity/identifiers/cid.ts';
import type { ContextSource } from '../../../domain/integrity/ports.ts';
import { reportOnManifest } from '../../../domain/integrity/report/manifest.ts';
import type { Report } from '../../../domain/integrity/report/report.ts';
import { openStore } from '../../../storage/open.ts';
import { fileCid } from '../../client/local-files.ts';
import {
  type CarriedFile,
  type ManifestTrustOptions,
  openManifestVerification,
} from '../verify/verify-manifest.ts';

/** Reports on a manifest offline. Its statements are indexed in a temporary folder. */
export async function manifestReport(
  { path, form }: CarriedFile,
  sources: readonly ContextSource[],
  { subject, ...trust }: ManifestTrustOptions & { readonly subject?: string },
  onRead: (bytes: number) => void,
): Promise<Report> {
  const { cid, size } = await fileCid(path, { codec: codecs.raw, multihash: 'blake3' });
  const source = { kind: 'manifest', file: basename(path), size, digest: digestHex(cid) } as const;
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), 'cairn-report-'));
  opened.defer(() => rm(folder, { recursive: true, force: true }));
  const settings = { dataDir: folder, mongodbUrl: null, mongodbDatabase: '', startWait: 0 };
  const store = opened.use(await openStore(settings, () => {}));
  const { ports, file } = opened.use(await openManifestVerification(path, sources, trust, onRead));
  const reporting = { ...ports, store, now: () => new Date() };
  return await reportOnManifest(reporting, file, form, { source, subject });
}
