import { copyFile, readFile, writeFile } from 'node:fs/promises';
import { delimiter, dirname, join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { run } from '../../src/cli/program.ts';
import { onSignal } from '../../src/cli/terminal/process-io.ts';
import { withFolder } from '../service-process.ts';
import { didOf, privateJwkOf } from './actors.ts';
import { houses } from './graphs.ts';
import { billOf } from './house-bill.ts';

const scripts = ['split.ts', 'train.ts'];
const keyFile = 'my-key.json';
const reviewerKeyFile = 'reviewer.json';
/** Cleo is one of the people who can sign in. */
const keys = [
  { file: keyFile, actor: 'recorder', name: 'Cleo Marin' },
  { file: reviewerKeyFile, actor: 'reviewer', name: 'Emil Sand' },
] as const;
const experiments = [
  { features: ['rooms'], rate: 0.01, epochs: 20 },
  { features: ['rooms', 'area', 'age'], rate: 0.01, epochs: 50 },
];

interface Service {
  readonly url: string;
  /** null without authentication. */
  readonly token: string | null;
}

/** Trains models of house prices with `cairn record`, has their data approved, and imports a bill of materials of the last one. */
export async function recordHouses(service: Service): Promise<void> {
  await withFolder(async (folder) => {
    for (const script of scripts)
      await copyFile(join(import.meta.dirname, 'houses', script), join(folder, script));
    await writeFile(join(folder, 'houses.csv'), houseTable());
    for (const { file, actor, name } of keys) {
      await writeFile(join(folder, file), JSON.stringify(privateJwkOf(actor)), { mode: 0o600 });
      await cairn(folder, service, ['key', 'name', name, '--key', file]);
    }
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
    await describeData(folder, service);
    const bill = join(folder, 'bom.json');
    await writeFile(bill, billOf(await readFile(join(folder, 'model.json'))));
    await cairn(folder, service, ['import', bill, '--graph', houses.graph_id]);
  });
}

/** Says that the table is a data set, and that the reviewer has approved it. */
async function describeData(folder: string, service: Service): Promise<void> {
  const data = join(folder, 'houses.csv');
  const said = [
    {
      key: keyFile,
      by: didOf('recorder'),
      file: 'dataset.json',
      document: { name: 'houses.csv', type: 'dataset', license: 'CC0-1.0' },
      statement: ['MetadataRegistration', `subject=${data}`, `metadata=${join(folder, 'dataset.json')}`],
    },
    {
      key: reviewerKeyFile,
      by: didOf('reviewer'),
      file: 'approval.json',
      document: { name: 'Approval of houses.csv', decision: 'approved', comment: 'No person can be told.' },
      statement: ['GovernanceRegistration', `subject=${data}`, `document=${join(folder, 'approval.json')}`],
    },
  ];
  for (const { key, by, file, document, statement } of said) {
    await writeFile(join(folder, file), JSON.stringify(document));
    await cairn(folder, service, ['put', join(folder, file)]);
    const made = await cairn(folder, service, ['statement', ...statement, `registeredBy=${by}`]);
    const lines = join(folder, 'statement.ndjson');
    await writeFile(lines, made);
    await cairn(folder, service, ['ingest', lines, '--graph', houses.graph_id, '--sign', join(folder, key)]);
  }
}

/** Runs a command of Cairn in a folder, as a person without other settings would. */
async function cairn(folder: string, { url, token }: Service, args: readonly string[]): Promise<string> {
  const path = [dirname(process.execPath), process.env.PATH ?? ''].join(delimiter);
  const env = { PATH: path, HOME: folder, CAIRN_URL: url, ...(token !== null && { CAIRN_TOKEN: token }) };
  const stderr = new PassThrough();
  const said = text(stderr);
  const stdout = new PassThrough();
  const printed = text(stdout);
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
  stdout.end();
  if (code !== 0) throw new Error(`cairn ${args.join(' ')} ended with ${code}: ${await said}`);
  return await printed;
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
