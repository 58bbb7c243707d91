import { once } from 'node:events';
import { gatewayPorts } from '../../src/composition/agents.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { report } from './numbered-reports.ts';

/**
 * The program of a separate process. It opens the folder in its first message, stores the batches whose numbers follow,
 * acknowledges them, and waits to be killed.
 */
const [folder] = await once(process, 'message');
const ports = gatewayPorts(await openEmbedded(String(folder)), () => new Date());

process.on('message', async (number: number) => {
  process.send?.({ number, answer: await report(ports, number) });
});
process.send?.('ready');
