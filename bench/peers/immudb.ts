import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { batchBody, batchSize, inFlight, registerGraph, sendBatches } from '../batch-ingestion.ts';
import { freePort } from '../free-port.ts';
import { connections, putSingles, warmUpSingles } from '../load/singles.ts';
import { median, type Row } from '../measure.ts';
import { startService, withFolder } from '../service-process.ts';
import { goBuild } from './go-build.ts';
import { startServer } from './server.ts';

const runs = Number(process.env.RUNS ?? 3);
const seconds = 5;
const batches = 60;

/** Acknowledged statements or values per second. */
interface Rates {
  readonly batches: number;
  readonly batchesInTurn: number;
  readonly singles: number;
}

async function immudbRates(program: string, folder: string): Promise<Rates> {
  const port = await freePort();
  await using _server = await startServer(program, ['serve', folder, String(port)], port);
  const load = async (size: number, senders: number) => {
    const parameters = ['load', port, size, senders, seconds].map(String);
    return Number((await promisify(execFile)(program, parameters)).stdout);
  };
  await load(batchSize, inFlight);
  await load(1, connections);
  return {
    batches: await load(batchSize, inFlight),
    batchesInTurn: await load(batchSize, 1),
    singles: await load(1, connections),
  };
}

async function cairnRates(folder: string, run: number): Promise<Rates> {
  await using service = await startService(folder);
  await registerGraph(service.url);
  const send = async (part: number, atOnce: number) => {
    const bodies = Array.from({ length: batches }, (_, at) => batchBody(part * batches + at, run));
    return await sendBatches([service.url], bodies, atOnce);
  };
  await send(0, inFlight);
  await warmUpSingles(service.url);
  return {
    batches: await send(1, inFlight),
    batchesInTurn: await send(2, 1),
    singles: (await putSingles(service.url, seconds)).rate,
  };
}

/** Statements beside values of 500 bytes, with as many senders. Each server is warmed up first. */
export async function besideImmudb(): Promise<Row[]> {
  const program = await goBuild('immudb');
  const measured: { other: Rates; ours: Rates }[] = [];
  for (let run = 0; run < runs; run += 1)
    await withFolder(async (folder) => {
      const other = await immudbRates(program, join(folder, 'immudb'));
      measured.push({ other, ours: await cairnRates(join(folder, 'data'), run) });
    });
  const rows = (key: keyof Rates, name: string): Row[] => [
    {
      what: `immudb: ${name}, values of 500 bytes`,
      'per second': median(measured.map(({ other }) => other[key])),
      ratio: 1,
    },
    {
      what: `Cairn: ${name}`,
      'per second': median(measured.map(({ ours }) => ours[key])),
      ratio: median(measured.map(({ ours, other }) => ours[key] / other[key])),
    },
  ];
  const size = batchSize.toLocaleString('en');
  return [
    ...rows('batches', `batches of ${size}, ${inFlight} at once`),
    ...rows('batchesInTurn', `batches of ${size}, one at a time`),
    ...rows('singles', `singles, ${connections} connections`),
  ];
}
