import { everythingVisible, type Visibility } from '../src/domain/access/visibility.ts';
import { cidOf, cidUrn, codecs } from '../src/domain/integrity/identifiers/cid.ts';
import { foldedName } from '../src/domain/integrity/names/name.ts';
import { type NameRecord, nameRecords, namingKind } from '../src/domain/integrity/names/name-records.ts';
import type { StatementRow } from '../src/domain/integrity/ports.ts';
import { entriesOfName } from '../src/domain/integrity/search/indexing.ts';
import { searchEntries } from '../src/domain/integrity/search/search-entries.ts';
import { wordsIn } from '../src/domain/integrity/search/terms.ts';
import type { Store } from '../src/storage/open.ts';
import { openBenchStore } from './lineage/bench-store.ts';
import { quantile, type Row, report } from './measure.ts';
import { withFolder } from './service-process.ts';

// The search for parts of names, in the embedded store, or in MongoDB with STORE=mongodb. One name in a thousand belongs to a
// second project, whose reader sees nothing else.

const count = Number(process.env.NAMES ?? 200_000);
const batch = 1_000;
const runs = 200;
const everyone = '6f8a2f0e-3a53-4b7e-9d43-000000000001';
const few = '6f8a2f0e-3a53-4b7e-9d43-000000000002';
const did = 'did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK';

const words =
  'model train data eval image label shard token vocab config params metrics epoch checkpoint weights adapter lora bert resnet clip audio speech text corpus clean dedup filter merge split sample report trace lineage graph'.split(
    ' ',
  );
const extensions = ['bin', 'safetensors', 'parquet', 'json', 'yaml', 'js', 'py', 'csv', 'txt', 'png'];

/** The same pseudo-random numbers in each run. */
function numbers(): (below: number) => number {
  let seed = 1;
  return (below) => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0;
    return (seed >>> 8) % below;
  };
}

function nameOf(at: number, below: (most: number) => number): string {
  const word = () => words[below(words.length)];
  const extension = extensions[below(extensions.length)];
  if (at % 4 === 0) return `src/domain/${word()}/${word()}-${below(1_000)}.${extension}`;
  if (at % 4 === 1) return `${word()}s/${word()}-${word()}/epoch-${below(100)}/${word()}.${extension}`;
  if (at % 4 === 2)
    return `data/${word()}/shard-${String(at % 100_000).padStart(5, '0')}-of-01000.${extension}`;
  return `${word()} ${word()} ${word()} ${at}`;
}

interface Named {
  readonly row: StatementRow;
  readonly name: string;
  readonly subject: string;
  readonly project: string;
}

function named(at: number, below: (most: number) => number): Named {
  const name = nameOf(at, below);
  const subject = cidUrn(cidOf(codecs.raw, `${at}`));
  const metadata = cidUrn(cidOf(codecs.jcs, name));
  const statement = { '@type': namingKind, subject, metadata, registeredBy: did, at };
  const jcs = Buffer.from(JSON.stringify(statement));
  const references = Object.entries({ subject, metadata, registeredBy: did }).map(([role, identifier]) => ({
    role,
    identifier,
  }));
  const ids = { jcsCid: cidOf(codecs.jcs, jcs), rdfcCid: cidOf(codecs.rdfc, jcs) };
  const row = { ...ids, jcs, kind: namingKind, references, time: at, contextSet: 'bench', isTrusted: true };
  return { row, name, subject, project: at % 1_000 === 999 ? few : everyone };
}

/** Stores statements whose documents are missing, and their names without these. */
async function fill(store: Store): Promise<Row[]> {
  const below = numbers();
  const took = { statements: 0, names: 0, 'index of the search': 0 };
  const timed = async (what: keyof typeof took, work: () => Promise<unknown>) => {
    const startedAt = performance.now();
    await work();
    took[what] += performance.now() - startedAt;
  };
  const start = store.now().getTime() * 1_000 - count * 1_000_000;
  for (let first = 0; first < count; first += batch) {
    const all = Array.from({ length: batch }, (_, at) => named(first + at, below));
    await timed('statements', async () => {
      for (const [project, group] of Map.groupBy(all, (one) => one.project))
        await store.statements.putMany(
          group.map(({ row }) => row),
          project,
        );
    });
    const records = all.map(({ row, name, subject }, at): NameRecord => {
      // One name per second.
      const newestFirst = 0 - (start + (first + at) * 1_000_000);
      return { id: row.jcsCid.text, subject, name, folded: foldedName(name), newestFirst };
    });
    await timed('names', () => store.of(nameRecords).insert(records));
    const entries = records.flatMap((record, at) => {
      const naming = { id: record.id, order: 0 - record.newestFirst, projects: [all[at]?.project ?? ''] };
      return entriesOfName(record, naming);
    });
    await timed('index of the search', () => store.of(searchEntries).insert(entries));
  }
  return Object.entries(took).map(([what, ms]) => ({ what, 'microseconds each': (ms * 1_000) / count }));
}

async function searches(
  store: Store,
  reader: string,
  visibility: Visibility,
  texts: readonly (readonly [what: string, textOf: (run: number) => string])[],
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [what, textOf] of texts) {
    const times: number[] = [];
    const work: number[] = [];
    let found = 0;
    for (let run = 0; run < runs + 10; run += 1) {
      const asked = wordsIn(textOf(run));
      if (!asked) continue;
      const [startedAt, before] = [performance.now(), process.cpuUsage()];
      const page = await store.search.inGroup(
        { words: asked, group: 'artefacts' },
        { after: null, limit: 10 },
        visibility,
      );
      const { user, system } = process.cpuUsage(before);
      if (run >= 10) {
        times.push(performance.now() - startedAt);
        work.push((user + system) / 1_000);
      }
      found = Math.max(found, page.hits.length);
    }
    const ms = { 'p50 ms': quantile(times, 0.5), 'p99 ms': quantile(times, 0.99) };
    const cpu = { 'CPU p50 ms': quantile(work, 0.5), 'CPU p99 ms': quantile(work, 0.99) };
    rows.push({ what: `${reader}: ${what}`, ...ms, ...cpu, found });
  }
  return rows;
}

const word = (run: number) => words[run % words.length] ?? '';
const texts = [
  ['a common word', word],
  ['a part of a word', (run: number) => word(run).slice(1, 4)],
  ['one letter', (run: number) => 'mstdce'[run % 6] ?? ''],
  ['two words', (run: number) => `${word(run)} ${word(run + 7)}`],
  ['a rare word', (run: number) => `shard-${String((run * 37) % 100_000).padStart(5, '0')}`],
  ['a whole path', (run: number) => `src/domain/${word(run)}/${word(run + 3)}-${run}`],
  ['common letters that are rare together', (run: number) => `${word(run)}${word(run + 5)}`],
  ['words and a number', (run: number) => `${word(run)} ${word(run + 3)} ${run * 4_001}`],
  ['five words', (run: number) => [0, 3, 6, 9, 12].map((at) => word(run + at)).join(' ')],
  ['nothing', (run: number) => `qzx${run}`],
] as const;

await withFolder(async (folder) => {
  await using store = await openBenchStore(folder);
  for (const graphId of [everyone, few])
    await store.graphs.add({ graphId, name: 'bench', parentId: null, projectId: graphId });
  report(`Storing ${count.toLocaleString('en')} names`, await fill(store));
  report(`Searching ${count.toLocaleString('en')} names`, [
    ...(await searches(store, 'all', everythingVisible, texts)),
    ...(await searches(store, 'few', { projects: new Set([few]) }, texts)),
  ]);
});
