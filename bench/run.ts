import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Runs the benches named on the command line, or all, and writes what they print to docs/benchmarks.md.

const page = new URL('../docs/benchmarks.md', import.meta.url);
const million = { STATEMENTS: '1000000' };
const full = { ROUNDS: '200' };

/** The benches in the order of the page, with the size of their full runs. */
const benches: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  identify: {},
  proofs: {},
  ingest: {},
  'issue-vc': {},
  single: {},
  blob: {},
  me: {},
  access: {},
  gateway: {},
  lineage: million,
  manifest: million,
  maintenance: {},
  telemetry: {},
  'project-reads': { EXCHANGES: '1000000', AGENTS: '100000' },
  'mongo-ingest': {},
  'mongo-blob': {},
  jobs: {},
  credentials: {},
  'agent-revocation': {},
  attacks: {},
  kill: full,
  replicas: full,
  'rolling-restart': {},
  soak: {},
};

/** What a bench prints: its tables, or the last line of one without a table. */
async function figures(name: string): Promise<string> {
  const child = spawn(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
    env: { NODE_OPTIONS: '--disable-warning=ExperimentalWarning', ...benches[name], ...process.env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const closed = once(child, 'close');
  let printed = '';
  for await (const chunk of child.stdout) {
    process.stdout.write(chunk);
    printed += chunk;
  }
  const [code] = await closed;
  if (code !== 0) throw new Error(`The bench ${name} failed.`);
  const text = printed.trim();
  return text.includes('| --- |') ? text : (text.split('\n').at(-1) ?? '');
}

/** Replaces the figures of a bench. The first paragraph of its section, which says what it measures, stays. */
function withFigures(text: string, name: string, printed: string): string {
  const sections = text.split(/^(?=## )/m);
  const at = sections.findIndex((section) => section.startsWith(`## ${name}\n`));
  if (at < 0) throw new Error(`docs/benchmarks.md has no section "## ${name}" to hold the figures.`);
  const [title, about] = (sections[at] ?? '').split('\n\n');
  return `${sections.with(at, `${title}\n\n${about?.trim()}\n\n${printed}\n\n`).join('').trimEnd()}\n`;
}

const names = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(benches);
const unknown = names.find((name) => !Object.hasOwn(benches, name));
if (unknown !== undefined)
  throw new Error(`There is no bench "${unknown}". Name some of ${Object.keys(benches).join(', ')}.`);
for (const name of names) {
  const printed = await figures(name);
  writeFileSync(page, withFigures(readFileSync(page, 'utf8'), name, printed));
}
