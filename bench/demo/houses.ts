import { copyFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough, Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../src/cli/program.ts';
import { onSignal } from '../../src/cli/terminal/process-io.ts';
import { withFolder } from '../service-process.ts';
import { houses } from './graphs.ts';

const scripts = ['split.ts', 'train.ts'];
/** One of the people who can sign in. */
const recorder = 'Cleo Marin';
const keyFile = 'my-key.json';
const experiments = [
  { features: ['rooms'], rate: 0.01, epochs: 20 },
  { features: ['rooms', 'area', 'age'], rate: 0.01, epochs: 50 },
];

interface Service {
  readonly url: string;
  /** null without authentication. */
  readonly token: string | null;
}

/** Trains models of house prices, with `cairn record` before each step. */
export async function recordHouses(service: Service): Promise<void> {
  await withFolder(async (folder) => {
    for (const script of scripts)
      await copyFile(join(import.meta.dirname, 'houses', script), join(folder, script));
    await writeFile(join(folder, 'houses.csv'), houseTable());
    await cairn(folder, service, ['key', 'create', keyFile]);
    await cairn(folder, service, ['key', 'name', recorder, '--key', keyFile]);
    const common = ['--graph', houses.graph_id, '--sign', keyFile];
    const record = async (name: string, ...args: readonly string[]) => {
      await cairn(folder, service, ['record', ...common, '--name', name, ...args]);
    };
    const split = ['--input', 'houses.csv', '--output', 'train.csv', 'test.csv'];
    await record('split', ...split, '--', 'node', 'split.ts');
    for (const params of experiments) {
      await writeFile(join(folder, 'params.json'), `${JSON.stringify(params, null, 2)}\n`);
      const train = ['--input', 'train.csv', 'test.csv', '--output', 'model.json'];
      const values = ['--params', 'params.json', '--metrics', 'metrics.json'];
      await record('train', ...train, ...values, '--', 'node', 'train.ts');
    }
  });
}

/** Runs a command of Cairn in a folder, as a person without other settings would. */
async function cairn(folder: string, { url, token }: Service, args: readonly string[]): Promise<void> {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  const env = { PATH: path, HOME: folder, CAIRN_URL: url, ...(token !== null && { CAIRN_TOKEN: token }) };
  const stderr = new PassThrough();
  const said = text(stderr);
  const stdout = new Writable({ write: (_chunk, _encoding, done) => done() });
  const stopSignal = () => new AbortController().signal;
  const io = {
    env,
    cwd: folder,
    stdin: Readable.from([]),
    stdout,
    stderr,
    stopSignal,
    onSignal,
    exit: () => {},
  };
  const code = await run(['node', 'cairn', ...args], io);
  stderr.end();
  if (code !== 0) throw new Error(`cairn ${args.join(' ')} ended with ${code}: ${await said}`);
}

/** Rooms, area (in 100 m²), age (in centuries) and price (in 100,000) of 200 houses. It is the same in each run. */
function houseTable(): string {
  let state = 29;
  const random = () => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const rows = Array.from({ length: 200 }, () => {
    const rooms = 1 + Math.floor(random() * 6);
    const area = 0.25 * rooms + 0.3 * random();
    const age = random();
    const price = 0.4 * rooms + 1.5 * area - 0.8 * age + 0.2 * random();
    return [rooms, area.toFixed(2), age.toFixed(2), price.toFixed(3)].join(',');
  });
  return `${['rooms,area,age,price', ...rows].join('\n')}\n`;
}
