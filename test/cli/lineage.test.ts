import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { LineageTree } from '../../src/cli/commands/lineage/lineage-tree.ts';
import { textTree } from '../../src/cli/terminal/output.ts';
import { type LineageAnswer, lineage as lineageAnswer } from '../../src/contract/integrity/lineage.ts';
import { shortId } from '../../src/contract/words/text.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import { directions } from '../../src/domain/integrity/lineage/edges.ts';
import { anyCharacter } from '../builders/any-text.ts';
import { slsaStatement } from '../builders/provenance.ts';
import { ownStatement } from '../builders/statements.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const graph = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
const author = 'did:example:author';
const operator = 'did:web:operator.example';
const hostile = "did:web:x#\u009b2J\u202e$(reboot)';'";
/** Control characters and characters that change the text direction. */
const steering = /[\p{Cc}\u2028\u2029\u200e\u200f\u061c\u202a-\u202e\u2066-\u2069]/u;
const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
let service: Service;
/** Ids of statements by name. */
const made: Record<string, string> = {};

/** raw and weights → (train) → model → (deploy) → image → (distil) → weights: a cycle, with other statements about its nodes. */
beforeAll(async () => {
  service = await startService();
  await put('/graph/v1', { graph_id: graph, name: 'lineage' });
  made.train = await step(['raw', 'weights'], 'model');
  made.deploy = await step(['model'], 'image');
  made.distil = await step(['image'], 'weights');
  made.card = await state('MetadataRegistration', { subject: urn('model'), metadata: urn('card') });
  made.data = await state('DataRegistration', { data: urn('raw') });
  made.release = await state('AssociationRegistration', {
    subject: urn('release'),
    association: [urn('model'), urn('image')],
    type: 'includes',
  });
  made.evil = await step(['x'], 'evil', hostile);
});
afterAll(async () => await service[Symbol.asyncDispose]());

async function put(path: string, body: unknown): Promise<Record<string, string>> {
  const headers = { 'content-type': 'application/json' };
  const response = await fetch(service.url + path, { method: 'PUT', headers, body: JSON.stringify(body) });
  const json = (await response.json()) as Record<string, string>;
  expect(response.ok, JSON.stringify(json)).toBe(true);
  return json;
}

async function state(type: StatementKind, fields: Record<string, unknown>): Promise<string> {
  const statement = ownStatement(type, { registeredBy: author, ...fields });
  const answer = await put('/statements/v1', { statement, generate_id: true, graph_id: graph });
  return `urn:cid:${answer.rdfc_cid}`;
}

const step = (input: string[], output: string, operatedBy = operator) =>
  state('ComputationRegistration', { input: input.map(urn), output: urn(output), operatedBy });

async function named(subject: string, name: string): Promise<void> {
  const { cid } = await put('/store/v1/jcs', { name });
  await state('MetadataRegistration', { subject, metadata: `urn:cid:${cid}` });
}

const lineage = async (...args: string[]) => await cairn(['lineage', ...args], { env: service.env });
/** The whole tree, without the summary before it. */
const wholeTree = async (...args: string[]) => {
  const run = await lineage(...args, '--full');
  return { ...run, stdout: run.stdout.slice(run.stdout.indexOf('\n\n') + 2) };
};
const short = (id = '') => shortId(id);

describe('cairn lineage', () => {
  test('tells nobody to store a digest as a file', async () => {
    const run = await lineage(`sha256:${'0'.repeat(64)}`);
    expect(run.code).toBe(1);
    expect(run.stderr).not.toContain('cairn put');
  });

  test('begins with a summary, and folds rows and distant nodes', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'wide.bin'), 'wide');
    const inputs = Array.from({ length: 60 }, (_, at) => `part ${at}`);
    const wide = await step(inputs, 'wide');
    for (const part of inputs.slice(0, 30)) await step([`${part} of ${part}`], part);
    await named(urn('wide'), 'Wide model');
    await named(wide, 'Join');
    await named(urn('part 0'), `${'long '.repeat(2_000)}`);
    const args = ['lineage', 'wide.bin', '--direction', 'upstream'];
    const run = await cairn(args, { env: service.env, cwd: folder.path });
    expect(run).toMatchObject({ code: 0, stderr: `wide.bin is ${urn('wide')}\n` });
    const lines = run.stdout.trimEnd().split('\n');
    expect(lines.slice(0, 6)).toEqual([
      `Wide model (${short(urn('wide'))})`,
      `  artefact ${urn('wide')}`,
      '  made from 90 things by 31 computations',
      '  34 statements: 34 claimed',
      `  registered by ${author}: 34`,
      '',
    ]);
    expect(lines).toContain(`└─ output of: Computation Join (${short(wide)})`);
    expect(lines).toContain('   └─ … 55 more: input');
    expect(run.stdout).toContain(
      `─ input: ${'long '.repeat(12)}`.slice(0, -1).concat(`… (${short(urn('part 0'))})`),
    );
    expect(lines.length).toBeLessThan(60);
    expect(lines.filter((line) => line.length > 120)).toEqual([]);
  });

  test('--full prints the upstream lineage as a tree with each node once and its sources', async () => {
    const { code, stdout, stderr } = await wholeTree(urn('model'), '--direction', 'upstream');
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toBe(`artefact ${urn('model')}
├─ association (includes) of: artefact ${urn('release')}
│     registered by ${author} in ${made.release} (claimed)
├─ metadata: artefact ${urn('card')}
│     registered by ${author} in ${made.card} (claimed)
└─ output of: ComputationRegistration ${made.train} (claimed)
   │  registered by ${author}
   ├─ operated by: actor ${operator}
   ├─ input: artefact ${urn('raw')}
   │  └─ registered by: actor ${author}
   │        in ${made.data} (claimed)
   └─ input: artefact ${urn('weights')}
      └─ output of: ComputationRegistration ${made.distil} (claimed)
         │  registered by ${author}
         ├─ operated by: actor ${operator}
         └─ input: artefact ${urn('image')}
            ├─ association (includes) of: artefact ${urn('release')}
            │     registered by ${author} in ${made.release} (claimed)
            └─ output of: ComputationRegistration ${made.deploy} (claimed)
               │  registered by ${author}
               ├─ operated by: actor ${operator}
               └─ input: artefact ${urn('model')} (see above)
`);
  });

  test('shows the downstream lineage or both, and starts from actors and statements', async () => {
    const down = await wholeTree(
      urn('raw'),
      '--direction',
      'downstream',
      '--kinds',
      'ComputationRegistration',
    );
    expect(down.stdout).toMatch(
      new RegExp(
        `^artefact ${urn('raw')}\n└─ input of: ComputationRegistration ${made.train} \\(claimed\\)\n`,
      ),
    );
    expect(down.stdout).toContain(`─ output: artefact ${urn('image')}\n`);
    expect(down.stdout).not.toContain('metadata');
    const both = await wholeTree(urn('image'), '--graph', 'lineage', '--depth', '1');
    expect(both.stdout).toContain(`─ output of: ComputationRegistration ${made.deploy} (claimed)\n`);
    expect(both.stdout).toContain(`─ input of: ComputationRegistration ${made.distil} (claimed)\n`);
    const actor = await wholeTree(operator);
    expect(actor.stdout).toMatch(
      new RegExp(`^actor ${operator}\n├─ operated: ComputationRegistration urn:cid:\\w+ \\(claimed\\)\n`),
    );
    const statement = await wholeTree(made.train ?? '', '--depth', '1', '--direction', 'upstream');
    expect(statement.stdout).toMatch(
      new RegExp(`^ComputationRegistration ${made.train} \\(claimed\\)\n│ {2}registered by ${author}\n`),
    );
  });

  test('shows at a node how many edges are hidden and which command shows them', async () => {
    const { stdout } = await wholeTree(urn('model'), '--direction', 'upstream', '--depth', '1');
    const [, edges, command = ''] =
      /─ input: .*\n +(\d+) or more edges not shown: cairn (.*)\n/.exec(stdout) ?? [];
    expect(Number(edges)).toBeGreaterThan(0);
    expect(command).toBe(`lineage ${urn('weights')} --direction upstream --full`);
    const more = await cairn(command.split(' '), { env: service.env });
    expect(more.stdout).toContain(`─ output of: ComputationRegistration ${made.distil} (claimed)\n`);
    const none = await wholeTree(urn('model'), '--depth', '0');
    expect(none.stdout).toMatch(/^artefact .*\n│ {2}\d+ or more edges not shown: raise --depth or --limit\n/);
  });

  test('prints drawings and JSON of the service unchanged', async () => {
    const answerAs = async (accept: string) => {
      const headers = { accept };
      return await (await fetch(`${service.url}/lineage/v1/${urn('model')}`, { headers })).text();
    };
    expect((await lineage(urn('model'), '--dot')).stdout).toBe(await answerAs('text/vnd.graphviz'));
    expect((await lineage(urn('model'), '--mermaid')).stdout).toBe(await answerAs('text/vnd.mermaid'));
    expect((await lineage(urn('model'), '--json')).stdout).toBe(`${await answerAs('application/json')}\n`);
  });

  test('escapes untrusted text for the terminal and the shell', async () => {
    const tree = await wholeTree(urn('evil'));
    for (const start of [urn('evil'), hostile])
      expect((await lineage(start)).stdout.replaceAll('\n', '')).not.toMatch(steering);
    expect(tree.stdout).toContain("actor did:web:x#\\u009b2J\\u202e$(reboot)';'\n");
    const json = await lineage(urn('evil'), '--json');
    for (const { stdout } of [tree, json]) expect(stdout.replaceAll('\n', '')).not.toMatch(steering);
    const { nodes } = JSON.parse(json.stdout);
    expect(nodes.map(({ id }: { id: string }) => id)).toContain(hostile);
    const start = await wholeTree(hostile);
    expect([start.code, start.stdout.split('\n').length]).toEqual([0, 4]);
  });

  test.each([
    [[urn('unknown')], 1, 'Nothing that you may see speaks of'],
    [[urn('model'), '--graph', '0199b6f2-6f0e-7cc3-9d5f-000000000000'], 1, 'There is no graph'],
    [[], 2, 'missing required argument'],
    [['nonsense'], 2, 'neither a CID, nor a UUID, nor a DID'],
    [[urn('model'), '--graph', 'nonsense'], 1, 'No graph is called "nonsense"'],
    [[urn('model'), '--direction', 'sideways'], 2, 'Allowed choices are upstream, downstream, both'],
    [[urn('model'), '--depth', '-1'], 2, 'from 0 to 10000'],
    [[urn('model'), '--limit', '10001'], 2, 'from 1 to 10000'],
    [[urn('model'), '--kinds', 'DataRegistration,Unknown'], 2, 'They must be among'],
    [[urn('model'), '--dot', '--json'], 2, 'cannot be used with'],
  ])('lineage %j is refused', async (args, code, reason) => {
    const run = await lineage(...args);
    expect({ code: run.code, stdout: run.stdout }).toEqual({ code, stdout: '' });
    expect(run.stderr).toContain(reason);
  });

  test('of a file that nobody has stored says how evidence about it is found', async () => {
    const { code, stderr } = await lineage(fileURLToPath(import.meta.url));
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/by another digest, such as SHA-512, store it: cairn put /),
    ]);
  });

  test('of a file is found by its SHA-256, whether nobody has stored it or its hash is not known yet', async () => {
    using folder = temporaryFolder();
    const path = join(folder.path, 'app.tar.gz');
    writeFileSync(path, randomBytes(3 << 20));
    const sha256 = createHash('sha256').update(readFileSync(path)).digest('hex');
    const evidence = JSON.stringify(slsaStatement({ subject: [{ name: 'app.tar.gz', digest: { sha256 } }] }));
    const taken = await fetch(`${service.url}/evidence/v1`, { method: 'POST', body: evidence });
    expect(taken.status).toBe(201);
    expect((await lineage(path)).stdout).toMatch(/made from \d+ things? by 1 computation/);
    expect(JSON.parse((await lineage(path, '--json')).stdout).edges).not.toEqual([]);
    expect(await cairn(['put', path], { env: service.env })).toMatchObject({ code: 0 });
    expect((await lineage(path)).stdout).toMatch(/made from \d+ things? by 1 computation/);
  });

  test('distinguishes a missing service from a server that is not Cairn', async () => {
    const away = await cairn(['lineage', urn('model')], { env: { CAIRN_URL: 'http://127.0.0.1:9' } });
    expect([away.code, away.stdout]).toEqual([3, '']);
    const error = { error: 'red \u001b[31malert\u001b[0m', code: 'not_found' };
    const answers = [
      [200, { nodes: 'none' }],
      [404, error],
    ] as const;
    for (const [status, body] of answers) {
      const other = createServer((_request, response) => {
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
      }).listen(0, '127.0.0.1');
      await once(other, 'listening');
      const { port } = other.address() as AddressInfo;
      const run = await cairn(['lineage', urn('model')], { env: { CAIRN_URL: `http://127.0.0.1:${port}` } });
      other.close();
      expect([run.code, run.stdout]).toEqual([status === 200 ? 3 : 1, '']);
      expect(run.stderr.trimEnd()).not.toMatch(steering);
    }
  });
});

describe('the tree of any lineage', () => {
  const id = fc.integer({ min: 0, max: 8 }).map((name) => `urn:n${name}`);
  const edge = fc.record(
    {
      from: id,
      to: id,
      kind: fc.constantFrom('computation', 'registration', 'credential', 'metadata'),
      role: fc.oneof(
        fc.constantFrom('input', 'output', 'registeredBy', 'metadata'),
        fc.string({ unit: anyCharacter }),
      ),
      statement: id,
      trust: fc.record(
        {
          state: fc.constantFrom('claimed' as const, 'signed' as const, 'revoked' as const),
          by: fc.string({ unit: anyCharacter }),
          by_registrant: fc.boolean(),
          valid: fc.boolean(),
        },
        { requiredKeys: ['state'] },
      ),
      registered_by: id,
      type: fc.string({ unit: anyCharacter }),
      unverified: fc.constant(true as const),
    },
    { requiredKeys: ['from', 'to', 'kind', 'role', 'statement', 'trust'] },
  );

  const claim = { state: 'claimed' as const };
  const authorOfTheStart = [
    {
      from: 'urn:n2',
      to: 'urn:n0',
      kind: 'computation' as const,
      role: 'registeredBy',
      statement: 'urn:n1',
      trust: claim,
    },
    {
      from: 'urn:n0',
      to: 'urn:n0',
      kind: 'computation' as const,
      role: '',
      statement: 'urn:n0',
      trust: claim,
      registered_by: 'urn:n2',
    },
  ];

  test('terminates and shows everything linked to its start, without control characters', () => {
    fc.assert(
      fc.property(
        fc.array(edge, { maxLength: 40 }),
        fc.constantFrom('upstream', 'both'),
        (edges, direction) => {
          const ids = [...new Set(['urn:n0', ...edges.flatMap(({ from, to }) => [from, to])])];
          const nodes = ids.map((id) => ({ id, kind: 'artefact', depth: 0, hidden_edges: 1 }));
          const answer: LineageAnswer = lineageAnswer.parse({ id: 'urn:n0', nodes, edges, truncated: false });
          const tree = new LineageTree(answer, {
            flows: directions[direction],
            adviceFor: () => 'ask',
          }).root();
          const lines = [...textTree(tree)];
          for (const line of lines) expect(line).not.toMatch(steering);
          const next = edges.filter(({ from, to }) => (from === 'urn:n0') !== (to === 'urn:n0'));
          const shown = next.filter(({ kind, role, to }) => {
            const isStep = kind === 'computation' && ['input', 'output'].includes(role);
            return !isStep || direction === 'both' || to === 'urn:n0';
          });
          // The author of a statement may be shown beside it instead of on a branch.
          for (const { from, to } of shown) expect(lines.join('\n')).toContain(from === 'urn:n0' ? to : from);
        },
      ),
      { examples: [[authorOfTheStart, 'upstream']] },
    );
  });
});
