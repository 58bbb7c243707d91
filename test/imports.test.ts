import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type ImportRules, importProblems } from './import-rules.ts';

const root = join(import.meta.dirname, '..');
const folders = ['src', 'workers', 'queues', 'bench', 'docs'];
/** The four roots, and beside them the choices that they make. */
const compositionRoots = [
  'src/admission.ts',
  'src/control-plane.ts',
  'src/integrity.ts',
  'src/jobs.ts',
  'src/composition/',
];
const adapters = ['platform', 'storage', 'workers', 'queues'];

/** Arrows go down only (DESIGN, the house). Adapters stand side by side and do not know each other. */
const rules: ImportRules = {
  layers: {
    domain: { files: ['src/domain/'], below: [] },
    words: { files: ['src/contract/words/'], below: [], types: ['contract'] },
    contract: { files: ['src/contract/'], below: ['words', 'domain'] },
    platform: { files: ['src/platform/'], below: ['contract', 'domain'] },
    storage: { files: ['src/storage/'], below: ['domain'] },
    workers: { files: ['workers/'], below: ['domain'] },
    queues: { files: ['queues/'], below: ['domain'] },
    browser: { files: ['src/ui/browser/'], below: ['words'], types: ['contract'] },
    ui: { files: ['src/ui/'], below: ['words', 'contract', 'domain'] },
    verifier: {
      files: ['src/verifier/'],
      below: ['cli', 'browser', ...adapters, 'words', 'contract', 'domain'],
    },
    http: { files: ['src/http/'], below: ['ui', 'platform', 'words', 'contract', 'domain'] },
    roots: { files: compositionRoots, below: ['http', ...adapters, 'contract', 'domain'] },
    cli: { files: ['src/cli/'], below: ['roots', 'http', 'ui', ...adapters, 'words', 'contract', 'domain'] },
    client: { files: ['src/client/'], below: ['cli', 'domain'] },
    main: { files: ['src/main.ts'], below: ['cli', 'roots', 'platform', 'domain'] },
    docs: { files: ['docs/'], below: ['cli', 'platform', 'domain'] },
    bench: { files: ['bench/'], below: ['main', 'cli', 'roots', 'http', 'ui', ...adapters, 'domain'] },
  },
  implementations: {
    files: ['src/storage/mongo/', 'src/storage/embedded/'],
    importers: ['src/storage/open.ts', ...compositionRoots],
  },
  packages: {
    '@bufbuild/cel': ['src/domain/integrity/policies/'],
    '@bufbuild/cel-spec': ['src/domain/integrity/policies/'],
    '@bufbuild/protobuf': ['src/domain/integrity/policies/'],
    '@bufbuild/re2': ['src/domain/integrity/policies/'],
    '@cyclonedx/cyclonedx-library': ['workers/evidence-formats/'],
    '@dagrejs/dagre': ['src/ui/'],
    '@digitalbazaar/credentials-context': ['src/domain/'],
    '@digitalbazaar/data-integrity-context': ['src/domain/'],
    '@digitalbazaar/security-context': ['src/domain/'],
    '@digitalbazaar/vc-bitstring-status-list-context': ['src/domain/'],
    '@digitalbazaar/vc-status-list-context': ['src/domain/'],
    '@fastify/busboy': ['src/platform/'],
    '@hono/node-server': ['src/platform/'],
    '@hono/zod-openapi': ['src/http/', 'src/platform/'],
    '@ipld/car': ['src/domain/integrity/car/', 'src/http/', 'src/cli/'],
    '@napi-rs/blake-hash': ['src/domain/'],
    '@noble/curves': ['src/verifier/platform/'],
    '@noble/hashes': ['src/verifier/platform/'],
    '@noble/post-quantum': ['src/verifier/platform/'],
    '@opentelemetry/api': ['src/platform/telemetry/'],
    '@opentelemetry/core': ['src/platform/telemetry/'],
    '@opentelemetry/exporter-trace-otlp-proto': ['src/platform/telemetry/'],
    '@opentelemetry/resources': ['src/platform/telemetry/'],
    '@opentelemetry/sdk-trace': ['src/platform/telemetry/'],
    '@panzoom/panzoom': ['src/ui/'],
    '@sigstore/bundle': ['src/platform/sigstore-verifier.ts'],
    '@sigstore/core': ['src/cli/model/'],
    '@sigstore/protobuf-specs': ['src/platform/sigstore-verifier.ts'],
    '@sigstore/verify': ['src/platform/sigstore-verifier.ts'],
    ajv: ['workers/evidence-formats/'],
    'ajv-formats': ['workers/evidence-formats/'],
    buffer: ['src/verifier/platform/'],
    bullmq: ['queues/'],
    canonicalize: ['src/domain/'],
    'cli-progress': ['src/cli/'],
    commander: ['src/cli/'],
    'content-disposition': ['src/http/', 'src/platform/'],
    'did-context': ['src/domain/'],
    'ed25519-signature-2020-context': ['src/domain/'],
    esbuild: ['src/ui/verifier/'],
    'hash-wasm': ['src/ui/', 'src/verifier/platform/'],
    'fastest-levenshtein': [
      'src/http/',
      'src/cli/commands/statement.ts',
      'src/cli/commands/policy/',
      'src/domain/integrity/policies/',
    ],
    hono: [
      'src/http/',
      'src/platform/',
      'src/ui/page.ts',
      'src/ui/api-page.ts',
      'src/ui/not-found-page.ts',
      'src/ui/header.ts',
      'src/ui/lineage-page.ts',
      'src/ui/sign-in-page.ts',
      'src/ui/account-page.ts',
      'src/ui/parts.ts',
      'src/ui/console/',
      'src/ui/report/',
      'src/ui/template-report/',
      'src/ui/statements/',
      'src/ui/verifier/',
      ...compositionRoots,
    ],
    ioredis: ['queues/', 'src/composition/rate-limits.ts'],
    jose: ['src/platform/', 'src/cli/'],
    'jsonc-parser': ['src/domain/'],
    jsonld: ['src/domain/'],
    'libxml2-wasm': ['workers/evidence-formats/', 'src/cli/commands/check/'],
    'lru-cache': ['src/domain/', 'src/platform/', 'src/storage/', 'workers/'],
    mongodb: ['src/storage/mongo/'],
    multiformats: ['src/domain/'],
    oauth4webapi: ['src/platform/', 'src/cli/'],
    'p-map': ['src/domain/', 'src/cli/'],
    'p-queue': ['queues/'],
    'p-retry': ['queues/', 'src/jobs.ts', 'src/cli/commands/ingest/', 'src/client/'],
    'openapi-fetch': ['src/client/'],
    pino: ['src/platform/'],
    piscina: ['workers/'],
    'rate-limiter-flexible': ['src/platform/', 'src/composition/rate-limits.ts'],
    protobufjs: ['src/platform/otlp.ts'],
    'prom-client': ['src/platform/telemetry/'],
    'range-parser': ['src/http/', 'src/platform/'],
    'rdf-canonize': ['src/domain/'],
    saxes: ['workers/evidence-formats/'],
    'smol-toml': ['src/cli/record/'],
    'swagger-ui-dist': ['src/platform/'],
    uplot: ['src/ui/'],
    uuid: ['src/domain/integrity/credentials/', 'src/domain/integrity/signatures/'],
    yaml: [
      'src/cli/commands/check/',
      'src/cli/record/',
      'src/cli/commands/import/',
      'src/domain/integrity/evidence/training/',
      'src/domain/integrity/policies/',
    ],
    zod: ['src/domain/', 'src/contract/', 'src/http/', 'src/platform/', 'src/cli/'],
    // SHA-256, HMAC and signatures: no more of an effect than the native BLAKE3.
    'node:crypto': [
      'src/domain/integrity/identifiers/hashing.ts',
      'src/domain/integrity/proofs/',
      'src/domain/control-plane/sessions.ts',
      'src/domain/log/',
      'src/platform/',
      'src/storage/',
      'src/cli/',
      'src/ui/files.ts',
      'src/ui/verifier/',
      'workers/',
      'queues/',
    ],
  },
  withoutRuntime: ['src/domain/', 'src/ui/browser/', 'src/verifier/'],
  tools: ['bench/'],
  environmentReaders: [
    'src/platform/',
    'src/cli/',
    'src/client/',
    'src/main.ts',
    'bench/',
    ...compositionRoots,
  ],
  sizes: { folders: ['src', 'workers', 'queues'], lines: 300, files: 25 },
};

test('the imports of this project follow its rules', () => {
  expect(importProblems(root, folders, rules)).toEqual([]);
});

describe('the rules can be broken', () => {
  const dependencies = { zod: '1.0.0', hono: '1.0.0' };
  const clean = {
    'package.json': JSON.stringify({ dependencies, devDependencies: { autocannon: '1.0.0' } }),
    'src/main.ts': "import './cli/serve.ts';\n",
    'src/cli/serve.ts': "export const open = async () => (await import('../integrity.ts')).start;\n",
    'src/integrity.ts':
      "import { app } from './http/app.ts';\nimport '../workers/pool.ts';\nimport './storage/open.ts';\nexport const start = () => app;\n",
    'src/http/app.ts':
      "import { Hono } from 'hono';\nimport type { Noun } from '../domain/noun.ts';\nexport const app: Noun = new Hono();\n",
    'src/storage/open.ts': "import { store } from './embedded/store.ts';\nexport default store;\n",
    'src/storage/embedded/store.ts':
      "import { noun } from '../../domain/noun.ts';\nimport './rows.ts';\nexport const store = noun;\n",
    'src/storage/embedded/rows.ts': 'export {};\n',
    'src/contract/errors.ts': 'export const errors = 1;\nexport type Errors = 1;\n',
    'src/ui/browser/script.ts':
      "import type { Errors } from '../../contract/errors.ts';\nexport type E = Errors;\n",
    'src/domain/noun.ts':
      "import { z } from 'zod';\nimport type { Port } from './ports.ts';\nexport type Noun = unknown;\nexport const noun: Port = z;\n",
    'src/domain/ports.ts': 'export type Port = unknown;\n',
    'workers/pool.ts':
      "import { availableParallelism } from 'node:os';\nexport default availableParallelism;\n",
    'bench/load.ts': "import 'autocannon';\n",
  };
  const small: ImportRules = { ...rules, packages: { zod: ['src/domain/'], hono: ['src/http/'] } };

  function problemsOf(files: Readonly<Record<string, string>>): string[] {
    const folder = mkdtempSync(join(tmpdir(), 'import-rules-'));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    for (const [path, content] of Object.entries({ ...clean, ...files })) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), content);
    }
    return importProblems(folder, folders, small);
  }

  test('a tree that follows them has no faults', () => {
    expect(problemsOf({})).toEqual([]);
  });

  test.each<[string, string, string, string]>([
    [
      'domain imports http',
      'src/domain/bad.ts',
      "import '../http/app.ts';",
      'imports ../http/app.ts, but domain may not import http',
    ],
    [
      'domain imports a type of storage',
      'src/domain/bad.ts',
      "import type { A } from '../storage/open.ts';",
      'imports ../storage/open.ts, but domain may not import storage',
    ],
    [
      'domain imports one type among values',
      'src/domain/bad.ts',
      "import { type A } from '../storage/open.ts';",
      'imports ../storage/open.ts, but domain may not import storage',
    ],
    [
      'a script imports more than types of the contract',
      'src/ui/browser/bad.ts',
      "import { errors } from '../../contract/errors.ts';",
      'imports ../../contract/errors.ts, but browser may import only types of contract',
    ],
    [
      'domain names a type of storage',
      'src/domain/bad.ts',
      "export type A = import('../storage/open.ts').A;",
      'imports ../storage/open.ts, but domain may not import storage',
    ],
    [
      'http imports storage',
      'src/http/bad.ts',
      "import '../storage/open.ts';",
      'imports ../storage/open.ts, but http may not import storage',
    ],
    [
      'http imports workers',
      'src/http/bad.ts',
      "await import('../../workers/pool.ts');",
      'imports ../../workers/pool.ts, but http may not import workers',
    ],
    [
      'http passes workers on',
      'src/http/bad.ts',
      "export * from '../../workers/pool.ts';",
      'imports ../../workers/pool.ts, but http may not import workers',
    ],
    [
      'http passes types of workers on',
      'src/http/bad.ts',
      "export type { A } from '../../workers/pool.ts';",
      'imports ../../workers/pool.ts, but http may not import workers',
    ],
    [
      'an adapter imports another',
      'src/platform/bad.ts',
      "import '../storage/open.ts';",
      'imports ../storage/open.ts, but platform may not import storage',
    ],
    [
      'workers import storage',
      'workers/bad.ts',
      "import '../src/storage/open.ts';",
      'imports ../src/storage/open.ts, but workers may not import storage',
    ],
    [
      'an adapter imports upwards',
      'src/storage/bad.ts',
      "import '../integrity.ts';",
      'imports ../integrity.ts, but storage may not import roots',
    ],
    [
      'a command chooses an implementation',
      'src/cli/bad.ts',
      "import '../storage/embedded/store.ts';",
      'imports ../storage/embedded/store.ts, but an implementation is chosen elsewhere',
    ],
    [
      'another file of storage does',
      'src/storage/bad.ts',
      "import './embedded/store.ts';",
      'imports ./embedded/store.ts, but an implementation is chosen elsewhere',
    ],
    [
      'one implementation imports the other',
      'src/storage/mongo/bad.ts',
      "import '../embedded/store.ts';",
      'imports ../embedded/store.ts, but an implementation is chosen elsewhere',
    ],
    [
      'a package where it is not for',
      'src/http/bad.ts',
      "import { z } from 'zod';",
      'imports zod, which is for src/domain/ alone',
    ],
    [
      'a part of a package',
      'src/domain/bad.ts',
      "import 'hono/accepts';",
      'imports hono/accepts, which is for src/http/ alone',
    ],
    [
      'the runtime in the domain',
      'src/domain/bad.ts',
      "import { readFile } from 'node:fs/promises';",
      'imports node:fs/promises, but modules of the runtime are not for this folder',
    ],
    [
      'a package of somebody else',
      'src/http/bad.ts',
      "import 'left-pad';",
      'imports left-pad, which is not on the list of packages',
    ],
    [
      'a tool in the service',
      'src/http/bad.ts',
      "import 'autocannon';",
      'imports autocannon, which is a development dependency',
    ],
    [
      'an import that nobody can read',
      'src/http/bad.ts',
      'await import(globalThis.name);',
      'imports (computed), so that nobody can tell what it imports',
    ],
    [
      'a file that is not there',
      'src/http/bad.ts',
      "import './gone.ts';",
      'imports ./gone.ts, which does not exist',
    ],
    [
      'a file out of the house',
      'src/http/bad.ts',
      "import '../../package.ts';",
      'imports ../../package.ts, which does not exist',
    ],
    ['a file in no layer', 'src/new.ts', '', 'belongs to no layer'],
    [
      'the environment in the domain',
      'src/domain/bad.ts',
      'export const home = process.env.HOME;',
      'reads process.env',
    ],
    [
      'the environment by its name',
      'workers/bad.ts',
      "export const home = process['env'].HOME;",
      'reads process.env',
    ],
    [
      'the environment in pieces',
      'workers/bad.ts',
      "import { env } from 'node:process';\nexport default env;",
      'reads process.env',
    ],
  ])('%s', (_name, path, content, problem) => {
    const problems = problemsOf({ [path]: `${content}\n` });
    expect(problems).toHaveLength(1);
    expect(problems[0]).toContain(`${path}: ${problem}`);
  });

  test.each<[string, string, string]>([
    ['an import cycle', "import './b.ts';", "import './a.ts';"],
    ['an import cycle of types', "import type { B } from './b.ts';", "export { type A } from './a.ts';"],
  ])('%s', (_name, a, b) => {
    expect(problemsOf({ 'src/domain/a.ts': `${a}\n`, 'src/domain/b.ts': `${b}\n` })).toEqual([
      'an import cycle: src/domain/a.ts > src/domain/b.ts > src/domain/a.ts',
    ]);
  });

  test('a long file, and a full folder', () => {
    const crowd = Array.from({ length: 26 }, (_, at) => [`queues/file-${at}.ts`, 'export {};\n']);
    const files = { ...Object.fromEntries(crowd), 'src/domain/long.ts': '\n'.repeat(301) };
    expect(problemsOf(files)).toEqual([
      'src/domain/long.ts: has more than 300 lines',
      'queues: has more than 25 files',
    ]);
  });

  test('comments break nothing', () => {
    const comment =
      "/**\n * import '../http/app.ts' reads process.env\n */\n// import 'left-pad';\nexport {};\n";
    expect(problemsOf({ 'src/domain/good.ts': comment })).toEqual([]);
  });

  test('a dependency that nobody imports, and one that is not on the list', () => {
    const manifest = JSON.stringify({ dependencies: { ...dependencies, pino: '1.0.0' } });
    expect(problemsOf({ 'package.json': manifest, 'bench/load.ts': '' })).toEqual([
      'package.json: pino is not on the list of packages',
      'package.json: nobody imports pino',
    ]);
  });

  test('a list that names what is no dependency', () => {
    const manifest = JSON.stringify({
      dependencies: { zod: '1.0.0' },
      devDependencies: { autocannon: '1.0.0' },
    });
    expect(problemsOf({ 'package.json': manifest })).toContain('the list of packages: hono is no dependency');
  });

  test('a package counts as imported where only its files are asked for', () => {
    const path = "export const folder = import.meta.resolve('zod/package.json');\n";
    expect(
      problemsOf({
        'src/domain/noun.ts': 'export type Noun = unknown;\nexport const noun = 1;\n',
        'src/domain/z.ts': path,
      }),
    ).toEqual([]);
  });
});
