import type { GraphImport } from '../../domain/integrity/manifest/ports.ts';
import type { BlobStore, PutCounts, StatementRow } from '../../domain/integrity/ports.ts';
import { PackedRows, rowLength } from '../../domain/integrity/statements/packed-rows.ts';
import type { Metrics } from '../../platform/telemetry/metrics.ts';
import type { Store } from '../../storage/open.ts';

/** The same store, whose statements and blobs are counted. */
export function countedStore(store: Store, metrics: Metrics): Store {
  const { statements, graphImports } = store;
  const counted = async (rows: Iterable<StatementRow>, put: (rows: PackedRows) => Promise<PutCounts>) => {
    const packed = PackedRows.of(rows);
    const counts = await put(packed);
    const all = counts.stored + counts.joined + counts.known;
    const bytes = packed.slices.reduce((sum, slice) => sum + slice.bytes.length, 0);
    metrics.statementBytes.inc(bytes - rowLength(0) * all);
    for (const [outcome, count] of Object.entries(counts))
      if (count > 0) metrics.statements.inc({ outcome }, count);
    return counts;
  };
  const countedImport = (running: GraphImport): GraphImport => ({
    ...running,
    put: (rows) => counted(rows, (packed) => running.put(packed)),
  });
  return {
    ...store,
    statements: {
      ...statements,
      putMany: (rows, graphId, registrar) =>
        counted(rows, (packed) => statements.putMany(packed, graphId, registrar)),
    },
    graphImports: { begin: async (projectId) => countedImport(await graphImports.begin(projectId)) },
    blobs: countedBlobs(store.blobs, metrics),
  };
}

function countedBlobs(blobs: BlobStore, metrics: Metrics): BlobStore {
  return {
    ...blobs,
    async stage() {
      const staged = await blobs.stage();
      let bytes = 0;
      return {
        ...staged,
        async write(chunk) {
          await staged.write(chunk);
          bytes += chunk.length;
        },
        async commit(cid) {
          const outcome = await staged.commit(cid);
          metrics.blobs.inc({ outcome });
          metrics.blobBytes.inc({ direction: 'written' }, bytes);
          return outcome;
        },
      };
    },
    async read(cid, range) {
      const content = await blobs.read(cid, range);
      const bytes = range ? range.last - range.first + 1 : (content?.size ?? 0);
      if (content) metrics.blobBytes.inc({ direction: 'read' }, bytes);
      return content;
    },
  };
}
