import { blake3 } from '@napi-rs/blake-hash';
import jsonld from 'jsonld';
import { bundledTexts } from '../src/domain/integrity/contexts/bundled.ts';
import { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../src/domain/integrity/identification/identify.ts';
import { splitEnvelope } from '../src/domain/json/split-envelope.ts';
import { StatementPool } from '../workers/statement-pool.ts';
import {
  certificate,
  exampleCredential,
  exampleStatement,
  measuredCredential,
  signedCredential,
} from './example-statements.ts';
import { type Row, rate, report } from './measure.ts';

// Identified statements per second, compared with plain jsonld.canonize and one hash.

/** Runs take long enough for V8 to optimize both. jsonld takes about a millisecond for a credential. */
const flat = { count: 5_000, runs: 20 };
const nested = { count: 1_000, runs: 5 };
const limits = { maxDepth: 64, documentMs: 5_000, requestMs: 60_000 };
const part = {
  member: 'statements',
  as: 'elements',
  maxElements: flat.count,
  setting: 'CAIRN_MAX_BATCH_STATEMENTS',
} as const;
const options = { generateId: true, strict: true, reportCoverage: false };

const documents = new Map(bundledTexts().map(([url, text]) => [url, JSON.parse(text)]));
const documentLoader = async (url: string) => ({
  documentUrl: url,
  document: documents.get(url),
  tag: 'static',
});
const plainOptions = { algorithm: 'RDFC-1.0', format: 'application/n-quads', documentLoader } as object;

async function compare(
  name: string,
  make: (index: number) => unknown,
  { count, runs } = nested,
): Promise<Row[]> {
  const texts = Array.from({ length: count }, (_, index) => JSON.stringify(make(index)));
  const bytes = texts.map((text) => new TextEncoder().encode(text));
  const body = new TextEncoder().encode(`{"statements":[${texts.join(',')}]}`);
  const { ranges } = splitEnvelope(body, part);
  const plain = await rate(
    count,
    async () => {
      for (const text of texts) blake3(await jsonld.canonize(JSON.parse(text), plainOptions));
    },
    runs,
  );
  const identifier = new StatementIdentifier(ContextWorld.bundled());
  const single = await rate(
    count,
    async () => {
      for (const statement of bytes)
        await identifier.identify(statement, { ...options, maxDepth: 64, workFactor: 3 });
    },
    runs,
  );
  const pooled = await rate(count, () => pool.identify(body, ranges, options), runs);
  return [
    { what: `${name}: jsonld.canonize and a hash`, 'statements/s': plain, ratio: 1 },
    { what: `${name}: Cairn, both CIDs, one thread`, 'statements/s': single, ratio: single / plain },
    { what: `${name}: Cairn, pool`, 'statements/s': pooled, ratio: pooled / plain },
  ];
}

await using pool = new StatementPool({
  registry: new ContextRegistry(ContextWorld.bundled(), []),
  ...limits,
});
report('Identification', [
  ...(await compare('flat', exampleStatement, flat)),
  ...(await compare('with a credential', exampleCredential)),
  ...(await compare('with a signed credential and status entries', signedCredential)),
  ...(await compare('with a governance certificate', certificate)),
  ...(await compare('with a credential of lists of objects and numbers', measuredCredential)),
]);
