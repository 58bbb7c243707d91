import { openEmbedded } from '../../../src/storage/open.ts';
import { row } from '../../builders/rows.ts';

/** A process of its own that stores statements, tells which are stored, and waits for its end. */
const store = await openEmbedded(String(process.argv[2]));
await store.graphs.add({ graphId: 'g', name: 'g', parentId: null, projectId: 'g' });
const blob = await store.blobs.stage();
await blob.write(new Uint8Array(200_000));
for (let count = 0; ; count += 1) {
  const references = [{ role: 'data', identifier: `urn:x:${count % 3}` }];
  await store.statements.putMany([row(`row ${count}`, { references })], 'g');
  process.stdout.write(`${count}\n`);
}
