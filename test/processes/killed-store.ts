import { once } from 'node:events';
import { openEmbedded } from '../../src/storage/open.ts';
import type { NumberedWrite } from './numbered-writes.ts';

/**
 * The program of a separate process. It opens the folder in its first message, stores the writes in the others,
 * acknowledges them, and waits to be killed.
 */
const [folder] = await once(process, 'message');
const store = await openEmbedded(String(folder));

async function carryOut({ rows, graph, as }: NumberedWrite): Promise<void> {
  if (as === 'batch') return void (await store.statements.putMany(rows, graph.graphId));
  const coming = await store.graphImports.begin(graph.projectId);
  for (let at = 0; at < rows.length; at += 3) await coming.put(rows.slice(at, at + 3));
  if (as === 'import') await coming.publish(graph, { contexts: [], anchors: [] });
  await coming.abandon();
}

process.on('message', async (write: NumberedWrite) => {
  await carryOut(write);
  process.send?.(write.number);
});
process.send?.('ready');
