import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { machine, markdown, type Table } from './measure.ts';
import { goals } from './results/goals.ts';
import { withFigures } from './results/page.ts';
import { headline, type Result, readResults } from './results/results.ts';

// Runs the benches of the goals, those named on the command line, or all with --full, and compares them with their last
// run. Results are kept in bench/results/, and the table of goals in docs/benchmarks.md. What a bench prints at its full size
// goes to its section of the page. --full takes hours.

interface Bench {
  /** The size of a full run, if that is not the default. */
  readonly full?: Readonly<Record<string, string>>;
  /** It needs MongoDB and Redis. */
  readonly needsServers?: true;
}

const million = { STATEMENTS: '1000000' };
const rounds = { ROUNDS: '200' };

/** In the order of the page. */
const benches: Readonly<Record<string, Bench>> = {
  peers: {},
  identify: {},
  proofs: {},
  ingest: {},
  'issue-vc': {},
  evidence: {},
  sbom: {},
  checks: {},
  log: { full: { STATEMENTS: '1000000', GRAPHS: '100000', ROUNDS: '1' } },
  openlineage: {},
  single: {},
  volume: { full: { STATEMENTS: '5000000' } },
  blob: {},
  me: {},
  access: {},
  gateway: { needsServers: true },
  lineage: { full: million },
  search: { full: { NAMES: '1000000' } },
  manifest: { full: million },
  verifier: {},
  maintenance: {},
  telemetry: {},
  'project-reads': { full: { EXCHANGES: '1000000', AGENTS: '100000' } },
  'mongo-ingest': { full: { PROCESSES: '3' }, needsServers: true },
  'mongo-blob': { needsServers: true },
  jobs: { needsServers: true },
  credentials: { needsServers: true },
  'agent-revocation': { needsServers: true },
  admission: {},
  attacks: {},
  kill: { full: rounds },
  'log-kill': { full: { KILLS: '1000' } },
  replicas: { full: rounds, needsServers: true },
  outages: { full: { ROUNDS: '50' }, needsServers: true },
  'rolling-restart': { needsServers: true },
  soak: {},
};

const page = new URL('../docs/benchmarks.md', import.meta.url);
const options = { full: { type: 'boolean', default: false } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const isFull = values.full;
const file = new URL(`results/${isFull ? 'full' : 'short'}.json`, import.meta.url);
const hasServers = process.env.CAIRN_TEST_MONGODB_URL && process.env.CAIRN_TEST_REDIS_URL;

function chosen(): string[] {
  const unknown = positionals.find((name) => !Object.hasOwn(benches, name));
  if (unknown !== undefined)
    throw new Error(`There is no bench "${unknown}". Name some of ${Object.keys(benches).join(', ')}.`);
  if (positionals.length > 0) return positionals;
  // The peers have to be installed first, so they run when they are named.
  const names = isFull ? Object.keys(benches) : goals.map(({ bench }) => bench);
  return [...new Set(names)].filter((name) => name !== 'peers');
}

/** @returns what the bench printed, and its tables. @throws when it fails. */
async function run(name: string): Promise<{ printed: string; tables: Table[] }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    env: {
      NODE_OPTIONS: '--disable-warning=ExperimentalWarning',
      ...(isFull && benches[name]?.full),
      ...process.env,
    },
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  const closed = once(child, 'close');
  const tables: Table[] = [];
  child.on('message', (table: Table) => tables.push(table));
  let printed = '';
  child.stdout?.on('data', (chunk: Buffer) => {
    process.stderr.write(chunk);
    printed += chunk;
  });
  const [code] = await closed;
  if (code !== 0) throw new Error(`The bench ${name} failed.`);
  return { printed: printed.trim(), tables };
}

function writePage(title: string, figures: string): void {
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), title, figures));
}

const last = readResults(file);
const now: Record<string, Result> = {};
const names = chosen();
const commit = execFileSync('git', ['describe', '--always', '--dirty', '--exclude=*'], { encoding: 'utf8' });
for (const [at, name] of names.entries()) {
  const place = `[${at + 1}/${names.length}] ${name}`;
  if (benches[name]?.needsServers && !hasServers) {
    console.error(`${place}: skipped. Set CAIRN_TEST_MONGODB_URL and CAIRN_TEST_REDIS_URL to measure it.`);
    continue;
  }
  console.error(`${place} …`);
  const startedAt = performance.now();
  try {
    const { printed, tables } = await run(name);
    const date = new Date().toISOString();
    now[name] = { date, commit: commit.trim(), machine: machine(), tables };
    writeFileSync(file, `${JSON.stringify({ ...last, ...now }, null, 2)}\n`);
    if (isFull || !benches[name]?.full)
      writePage(name, tables.length > 0 ? printed : (printed.split('\n').at(-1) ?? ''));
    console.error(`${place}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
  } catch (error) {
    console.error(`${place}: ${(error as Error).message}`);
    process.exitCode = 1;
  }
}
const judged = headline(goals, now, last);
if (judged.length > 0) {
  const title = isFull ? 'Goals at full size' : 'Goals';
  writePage(title, `${markdown(headline(goals, { ...last, ...now }, last))}\n\n${machine()}`);
  console.log(markdown(judged));
}
