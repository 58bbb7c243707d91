import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { keepLogs, openServiceLogs, unloggedIn } from '../src/composition/log.ts';
import { cidOf, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../src/domain/integrity/ports.ts';
import { appendNew } from '../src/domain/log/appending/appender.ts';
import { leafHash } from '../src/domain/log/merkle/hashing.ts';
import { MerkleRange } from '../src/domain/log/merkle/range.ts';
import { tileWidth } from '../src/domain/log/merkle/tiles.ts';
import { logNames } from '../src/domain/log/names.ts';
import { formatVkey } from '../src/domain/log/notes/vkey.ts';
import { logReading } from '../src/domain/log/reading.ts';
import { logRecords } from '../src/domain/log/records.ts';
import { openLogKeys } from '../src/platform/log-keys.ts';
import { readSettings } from '../src/platform/settings/settings.ts';
import { openEmbedded } from '../src/storage/open.ts';
import { withFolder } from './service-process.ts';
import { WitnessBeside } from './witness-beside.ts';

// Kills a process that stores rows and writes logs, more often than a whole service could start. Everything that it has said
// before it was killed must hold: each row that was stored is once in its log, and all checkpoints are of one history, those that
// only the witness beside has seen included. KILLS=1000 is the full run.

const keyFileOf = (folder: string) => `${folder}-log-key.json`;
const kills = Number(process.env.KILLS ?? 100);
const graphId = '6f8a2f0e-3a53-4b7e-9d43-000000000002';
const rowsAtOnce = 20;
const origin = 'log.example/log/v1';
const [, , dataDir, policyFile = ''] = process.argv;

function rowOf(text: string): StatementRow {
  const jcs = Buffer.from(JSON.stringify(text));
  return {
    jcsCid: cidOf(codecs.jcs, jcs),
    rdfcCid: cidOf(codecs.rdfc, text),
    jcs,
    kind: 'DataRegistration',
    references: [],
    time: null,
    contextSet: cidOf(codecs.jcs, 'contexts').text,
    isTrusted: true,
  };
}

/** The process that is killed. It says what is acknowledged, and which checkpoints are published. */
async function write(folder: string): Promise<never> {
  const store = await openEmbedded(folder);
  const silent = pino({ level: 'silent' });
  const settings = readSettings({
    CAIRN_DATA_DIR: folder,
    CAIRN_PUBLIC_URL: 'http://log.example',
    CAIRN_LOG_KEY_FILE: keyFileOf(folder),
    CAIRN_LOG_WITNESSES: policyFile,
  });
  const logs = await openServiceLogs(store, settings, silent);
  keepLogs(store, logs, silent);
  await store.graphs.add({ graphId, name: 'graph', parentId: null, projectId: graphId });
  console.log('ready');
  void (async () => {
    for (;;) {
      const checkpoint = await logs.reading.published();
      if (checkpoint) console.log(`checkpoint ${checkpoint.size} ${checkpoint.root}`);
      await delay(5);
    }
  })();
  for (let batch = 0; ; batch += 1) {
    const names = Array.from({ length: rowsAtOnce }, (_, at) => `${process.pid} ${batch} ${at}`);
    // Some rows are older than the last entry of the log.
    await store.statements.putMany(names.slice(0, 5).map(rowOf), null);
    await store.statements.putMany(names.toReversed().map(rowOf), graphId);
    for (const name of names) console.log(`stored ${name}`);
  }
}

async function killAll(folder: string): Promise<number> {
  const keys = await openLogKeys({ file: keyFileOf(folder), mayCreate: true }, null);
  const vkey = formatVkey(keys.signersOf(origin)[0].vkey);
  await using witness = await WitnessBeside.start(`${folder}-witness`, vkey);
  const stored = new Set<string>();
  const checkpoints = new Map<number, Set<string>>();
  for (let kill = 1; kill <= kills; kill += 1) {
    const child = spawn(process.execPath, [fileURLToPath(import.meta.url), folder, witness.policyFile], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const lines = createInterface({ input: child.stdout });
    const ready = once(child.stdout, 'data');
    lines.on('line', (line) => {
      const [what, first = '', ...rest] = line.split(' ');
      if (what === 'stored') stored.add([first, ...rest].join(' '));
      if (what === 'checkpoint')
        checkpoints.getOrInsertComputed(Number(first), () => new Set()).add(rest.join(' '));
    });
    const closed = once(lines, 'close');
    await ready;
    await delay(Math.random() * 1_000);
    child.kill('SIGKILL');
    await closed;
    if (kill % 50 === 0)
      console.log(`${kill} kills, ${stored.size} rows stored, ${checkpoints.size} checkpoints, ${witness}`);
  }
  const published = checkpoints.size;
  for (const { size, root } of witness.checkpoints)
    checkpoints.getOrInsertComputed(size, () => new Set()).add(Buffer.from(root).toString('base64'));
  const problems = [...(await problemsOf(folder, stored, checkpoints)), ...witness.problems()];
  for (const problem of problems.slice(0, 20)) console.log(problem);
  console.log(
    `${kills} kills, ${stored.size} rows stored, ${published} checkpoints published, ${witness}; ${problems.length} faults.`,
  );
  return problems.length;
}

async function problemsOf(
  folder: string,
  stored: ReadonlySet<string>,
  checkpoints: ReadonlyMap<number, ReadonlySet<string>>,
): Promise<string[]> {
  await using store = await openEmbedded(folder);
  const records = logRecords(store);
  await appendNew({ records, unlogged: unloggedIn(store), now: store.now });
  const reading = logReading(records, store.loggedRows);
  const entriesOf = async (log: string) => {
    const size = (await records.logs.get(log))?.size ?? 0;
    const entries: Uint8Array[] = [];
    for (let index = 0; index * tileWidth < size; index += 1)
      entries.push(
        ...(await reading.entries(log, { index, width: Math.min(tileWidth, size - index * tileWidth) })),
      );
    return entries;
  };
  const problems: string[] = [];
  const range = new MerkleRange();
  for (const entry of await entriesOf(logNames.service)) {
    range.append(leafHash(entry));
    const root = Buffer.from(range.root()).toString('base64');
    for (const other of checkpoints.get(range.size) ?? [])
      if (other !== root) problems.push(`The checkpoint of size ${range.size} is of another history.`);
  }
  const largest = Math.max(...checkpoints.keys());
  if (largest > range.size)
    problems.push(`The log has ${range.size} entries, and a checkpoint has ${largest}.`);
  const entries = await entriesOf(logNames.graph(graphId));
  const times = Map.groupBy(entries, (entry) => Buffer.from(entry).toString('hex'));
  for (const [entry, { length }] of times)
    if (length > 1) problems.push(`${entry} is there ${length} times.`);
  const found = new Set(entries.map((entry) => Buffer.from(entry.subarray(-32)).toString('hex')));
  for (const name of stored)
    if (!found.has(Buffer.from(rowOf(name).jcsCid.digest).toString('hex')))
      problems.push(`${name} is in no entry.`);
  return problems;
}

if (dataDir !== undefined) await write(dataDir);
else process.exitCode = (await withFolder((folder) => killAll(join(folder, 'data')))) === 0 ? 0 : 1;
