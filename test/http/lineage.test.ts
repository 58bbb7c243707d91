import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import type { StatementKind } from '../../src/domain/integrity/kinds/registry.ts';
import { lineageDot, lineageMermaid } from '../../src/http/integrity/lineage/lineage-drawings.ts';
import { anyCharacter } from '../builders/any-text.ts';
import { ownStatement } from '../builders/statements.ts';
import { newGraph as newGraphOf } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const did = 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp';
const operator = 'did:web:operator.example';
const urn = (text: string) => cidUrn(cidOf(codecs.raw, text));
const bare = (text: string) => cidOf(codecs.raw, text).text;

async function put(type: StatementKind, fields: Record<string, unknown>, graph_id?: string): Promise<string> {
  const statement = ownStatement(type, { registeredBy: did, ...fields });
  const { status, json } = await send(service, 'PUT', '/statements/v1', {
    statement,
    generate_id: true,
    graph_id,
  });
  expect(status, JSON.stringify(json)).toBeLessThan(300);
  return `urn:cid:${json.rdfc_cid}`;
}

const newGraph = () => newGraphOf(service);

const get = async (path: string, headers?: Record<string, string>) =>
  await send(service, 'GET', path, undefined, headers);

interface Edge {
  from: string;
  to: string;
  kind: string;
  role: string;
  statement: string;
}

/** raw → (clean) → table → (train) → model → (deploy) → image, with metadata of the model and the table. */
const made: Record<string, string> = {};
beforeAll(async () => {
  const step = (input: string | string[], output: string, more = {}) => {
    const inputs = [input].flat().map(urn);
    return put('ComputationRegistration', {
      input: inputs,
      output: urn(output),
      operatedBy: operator,
      ...more,
    });
  };
  made.clean = await step('raw', 'table');
  made.train = await step(['table', 'weights'], 'model', {
    computation: urn('train.py'),
    executedOn: urn('gpu'),
  });
  made.deploy = await step('model', 'image');
  made.card = await put('MetadataRegistration', { subject: urn('model'), metadata: urn('card') });
  made.stored = await put('StorageRegistration', { data: urn('model'), storedOn: urn('bucket') });
  made.includes = await put('AssociationRegistration', {
    subject: urn('release'),
    association: [urn('model'), urn('readme')],
    type: 'includes',
  });
  made.policy = await put('GovernanceRegistration', { subject: urn('table'), document: urn('policy') });
  made.data = await put('DataRegistration', { data: urn('raw') });
  made.vc = await put('CredentialRegistration', {
    credential: {
      '@context': ['https://www.w3.org/ns/credentials/v2'],
      id: 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b11',
      type: ['VerifiableCredential'],
      issuer: did,
      validFrom: '2026-01-31T12:00:00Z',
      credentialSubject: { id: made.train },
      evidence: [{ id: urn('log') }],
    },
  });
});

describe('GET /lineage/v1/{id}', () => {
  it('shows what an artefact was made from, with the facts on the way', async () => {
    const { status, json } = await get(`/lineage/v1/${bare('model')}?direction=upstream`);
    expect(status).toBe(200);
    expect(json).toMatchObject({ id: urn('model'), truncated: false });
    expect(json.nodes[0]).toEqual({ id: urn('model'), kind: 'artefact', depth: 0 });
    const edges = json.edges.map(({ from, to, kind, role }: Edge) => [from, kind, role, to]);
    expect(edges.toSorted()).toEqual(
      [
        [urn('raw'), 'computation', 'input', made.clean],
        [made.clean, 'computation', 'output', urn('table')],
        [did, 'registration', 'registeredBy', made.clean],
        [operator, 'operation', 'operatedBy', made.clean],
        [urn('table'), 'computation', 'input', made.train],
        [urn('weights'), 'computation', 'input', made.train],
        [made.train, 'computation', 'output', urn('model')],
        [urn('train.py'), 'computation', 'computation', made.train],
        [urn('gpu'), 'computation', 'executedOn', made.train],
        [did, 'registration', 'registeredBy', made.train],
        [operator, 'operation', 'operatedBy', made.train],
        [urn('model'), 'metadata', 'metadata', urn('card')],
        [urn('model'), 'storage', 'storedOn', urn('bucket')],
        [urn('release'), 'association', 'association', urn('model')],
        [urn('table'), 'governance', 'document', urn('policy')],
        [did, 'registration', 'data', urn('raw')],
        [made.train, 'credential', 'credentialSubject', made.vc],
        [made.vc, 'credential', 'credential', 'urn:uuid:5f1f1c8e-3f6a-4f0e-9d7b-0d6f3f2a9b11'],
        [did, 'registration', 'registeredBy', made.vc],
      ].toSorted(),
    );
  });

  it('names its nodes, also in drawings', async () => {
    const { json: document } = await send(service, 'PUT', '/store/v1/jcs', { name: 'a "model"]; x --> y' });
    await put('MetadataRegistration', { subject: urn('named'), metadata: `urn:cid:${document.cid}` });
    const path = `/lineage/v1/${bare('named')}`;
    expect((await get(path)).json.nodes[0]).toMatchObject({ name: 'a "model"]; x --> y' });
    const short = `${bare('named').slice(0, 9)}…${bare('named').slice(-6)}`;
    const dot = await get(path, { accept: 'text/vnd.graphviz' });
    expect(dot.text).toContain(`label="a \\"model\\"]; x --> y\\n${short}"`);
    const mermaid = await get(path, { accept: 'text/vnd.mermaid' });
    expect(mermaid.text).toContain(`["a #34;model#34;#93;#59; x --#62; y<br/>${short}"]`);
  });

  it('shows what was made from an artefact, and both directions', async () => {
    const down = await get(`/lineage/v1/${urn('table')}?direction=downstream&kinds=ComputationRegistration`);
    const ids = (json: { nodes: { id: string }[] }) => json.nodes.map(({ id }) => id);
    expect(ids(down.json)).toEqual(expect.arrayContaining([urn('model'), urn('image'), made.deploy]));
    expect(ids(down.json)).not.toContain(urn('raw'));
    const both = await get(`/lineage/v1/${bare('table')}?kinds=ComputationRegistration`);
    expect(ids(both.json)).toEqual(expect.arrayContaining([urn('raw'), urn('model'), urn('image')]));
    expect(ids(both.json)).not.toContain(urn('weights'));
    expect(ids(both.json)).not.toContain(urn('policy'));
  });

  it('has the type of an association, and who registered each statement when', async () => {
    const { json } = await get(`/lineage/v1/${bare('release')}`);
    expect(json.edges).toContainEqual({
      from: urn('release'),
      to: urn('readme'),
      kind: 'association',
      role: 'association',
      statement: made.includes,
      type: 'includes',
      registered_by: did,
      timestamp: '2026-01-31T12:00:00Z',
      trust: { state: 'claimed' },
    });
  });

  it('starts from a statement by either of its ids', async () => {
    const byId = await get(`/lineage/v1/${made.train}?direction=upstream&depth=1`);
    expect(byId.json.id).toBe(made.train);
    expect(byId.json.nodes[0]).toMatchObject({
      kind: 'statement',
      type: 'ComputationRegistration',
      depth: 0,
    });
    const inputs = byId.json.edges.filter(({ role }: Edge) => role === 'input');
    expect(inputs.map(({ from }: Edge) => from).sort()).toEqual([urn('table'), urn('weights')].sort());
    const { json } = await get(`/cid/v1/find/${made.train}`);
    const byForm = await get(`/lineage/v1/${json.variants[0]}?direction=upstream&depth=1`);
    expect(byForm.json).toEqual(byId.json);
  });

  it('starts from an actor, a program, an entity', async () => {
    const { json } = await get(`/lineage/v1/${encodeURIComponent(operator)}`);
    expect(json.nodes[0]).toMatchObject({ id: operator, kind: 'actor' });
    expect(json.edges.map(({ to }: Edge) => to)).toEqual(
      expect.arrayContaining([made.clean, made.train, made.deploy]),
    );
    const program = await get(`/lineage/v1/${bare('train.py')}`);
    expect(program.json.edges[0]).toMatchObject({ role: 'computation', statement: made.train });
    const entity = randomUUID();
    await put('EntityRegistration', { entity: `urn:uuid:${entity}` });
    const registered = await get(`/lineage/v1/${entity.toUpperCase()}`);
    expect(registered.json.edges[0]).toMatchObject({
      from: did,
      to: `urn:uuid:${entity}`,
      kind: 'registration',
    });
  });

  it('starts from the evidence of a credential', async () => {
    const { json } = await get(`/lineage/v1/${bare('log')}`);
    expect(json.edges[0]).toMatchObject({
      from: urn('log'),
      to: made.vc,
      kind: 'credential',
      role: 'evidence',
    });
  });

  it('marks where depth and limit leave something out', async () => {
    const shallow = await get(`/lineage/v1/${bare('model')}?direction=upstream&depth=1`);
    expect(shallow.json.truncated).toBe(true);
    const cut = shallow.json.nodes.filter(({ truncated }: { truncated?: true }) => truncated);
    expect(cut.map(({ id }: { id: string }) => id)).toEqual([urn('table')]);
    expect(cut[0].hidden_edges).toBeGreaterThan(0);
    const none = await get(`/lineage/v1/${bare('model')}?direction=upstream&depth=0`);
    expect(none.json.nodes[0]).toMatchObject({ id: urn('model'), truncated: true });
    for (const limit of [1, 2, 3, 5, 8]) {
      const { json } = await get(`/lineage/v1/${bare('model')}?limit=${limit}`);
      expect(json.nodes.length).toBeLessThanOrEqual(limit);
      expect(json.truncated).toBe(true);
    }
  });

  it('is limited to one graph on request', async () => {
    const graph = await newGraph();
    await put('MetadataRegistration', { subject: urn('model'), metadata: urn('other card') }, graph);
    const { json } = await get(`/lineage/v1/${bare('model')}?graph_id=${graph}`);
    expect(json.edges.map(({ to }: Edge) => to)).toEqual([urn('other card')]);
    expect((await get(`/lineage/v1/${bare('image')}?graph_id=${graph}`)).status).toBe(404);
  });

  it('ends despite cycles', async () => {
    const [a, b] = [urn('cycle a'), urn('cycle b')];
    const fields = { operatedBy: operator };
    await put('ComputationRegistration', { input: a, output: b, ...fields });
    await put('ComputationRegistration', { input: b, output: [a, b], ...fields });
    const { json } = await get(`/lineage/v1/${bare('cycle a')}?depth=100`);
    expect(json.truncated).toBe(false);
    expect(json.nodes).toHaveLength(6);
  });

  it('has only the start for a stored blob without statements', async () => {
    const { json } = await putBlob(service, 'nobody speaks of me');
    const answer = await get(`/lineage/v1/${json.cid}`);
    expect(answer.json).toMatchObject({
      nodes: [{ id: `urn:cid:${json.cid}` }],
      edges: [],
      truncated: false,
    });
  });

  it('answers many concurrent requests, also after many that find nothing', async () => {
    const ids = Array.from({ length: 40 }, (_, at) => bare(`nobody ${at}`));
    const unknown = await Promise.all(ids.map((id) => get(`/lineage/v1/${id}`)));
    expect(new Set(unknown.map(({ status }) => status))).toEqual(new Set([404]));
    const known = await Promise.all(ids.map(() => get(`/lineage/v1/${bare('model')}`)));
    const [first] = known;
    for (const { status, text } of known) expect([status, text]).toEqual([200, first?.text]);
  });

  it.each([
    'depth=-1',
    'depth=',
    'depth=0x1',
    'depth=1e1',
    'depth=1&depth=2',
    'limit=',
    'depth=10001',
    'depth=x',
    'limit=0',
    'limit=10001',
    'limit=1.5',
    'direction=sideways',
    'kinds=',
    'kinds=DataRegistration,Unknown',
    'graph_id=x',
  ])('refuses ?%s', async (query) => {
    const { status, json } = await get(`/lineage/v1/${bare('model')}?${query}`);
    expect([status, json.code]).toEqual([400, 'invalid_request']);
    if (/depth|limit/.test(query)) expect(json.error).toMatch(/must be a whole number from [01] to \d+\.$/);
  });

  it.each([
    'hello',
    'urn:cid:hello',
    'urn:uuid:1',
    'did:',
    `b${'a'.repeat(3_000)}`,
    bare('model').toUpperCase(),
  ])('refuses the id %s', async (id) => {
    expect((await get(`/lineage/v1/${id}`)).status).toBe(400);
  });

  it('is empty for a known artefact without computations in that direction', async () => {
    const [first, last] = [`never made ${randomUUID()}`, `never used ${randomUUID()}`];
    await put('ComputationRegistration', { input: [urn(first)], output: urn(last), operatedBy: operator });
    for (const [id, direction] of [
      [first, 'upstream'],
      [last, 'downstream'],
    ] as const) {
      const { status, json } = await get(`/lineage/v1/${bare(id)}?direction=${direction}`);
      expect([status, json.nodes?.length, json.edges?.length]).toEqual([200, 1, 0]);
    }
  });

  it('answers 404 for an unknown id and an unknown graph', async () => {
    for (const id of [bare('unknown'), randomUUID(), 'did:web:unknown.example'])
      expect((await get(`/lineage/v1/${id}`)).json.code).toBe('not_found');
    const { status, json } = await get(`/lineage/v1/${bare('model')}?graph_id=${randomUUID()}`);
    expect([status, json.code]).toEqual([404, 'not_found']);
  });
});

describe('drawings of a lineage', () => {
  it('are available as DOT', async () => {
    const answer = await get(`/lineage/v1/${bare('model')}`, { accept: 'text/vnd.graphviz' });
    expect(answer.headers.get('content-type')).toBe('text/vnd.graphviz; charset=utf-8');
    expect(answer.headers.get('vary')).toBe('Accept');
    expect(answer.text).toMatch(
      /^digraph lineage \{\n {2}rankdir=LR;\n {2}n0 \[shape=box, label="bafkr4i[^"]+"\];\n/,
    );
    expect(answer.text).toMatch(/n\d+ -> n0 \[label="output"\];/);
    expect(answer.text).toContain('[label="association includes"]');
  });

  it('are available as Mermaid', async () => {
    const answer = await get(`/lineage/v1/${bare('model')}`, { accept: 'text/vnd.mermaid' });
    expect(answer.headers.get('content-type')).toBe('text/vnd.mermaid; charset=utf-8');
    expect(answer.text).toMatch(/^flowchart LR\n {2}n0\["bafkr4i[^"]+"\]\n/);
    expect(answer.text).toMatch(/n\d+ -->\|"output"\| n0\n/);
  });

  it('are not available in other formats', async () => {
    const answer = await get(`/lineage/v1/${bare('model')}`, { accept: 'image/png' });
    expect([answer.status, answer.json.code]).toEqual([406, 'not_acceptable']);
  });

  it('keep identifiers inside their quotes, whatever they contain', async () => {
    const hostile = [
      'did:web:x?];evil[label=',
      "did:web:x#]-->end<script>alert('1')</script>",
      'did:web:x/`|&quot;#quot;%%{init}%%;\u202e',
    ];
    for (const operatedBy of hostile)
      await put('ComputationRegistration', { input: urn('in'), output: urn('hostile'), operatedBy });
    const dot = await get(`/lineage/v1/${bare('hostile')}`, { accept: 'text/vnd.graphviz' });
    const dotLines = dot.text.split('\n').slice(2, -2);
    expect(dotLines.filter((line) => line.includes('did:web:x'))).toHaveLength(hostile.length);
    for (const line of dotLines) expect(line).toMatch(dotLine);
    const mermaid = await get(`/lineage/v1/${bare('hostile')}`, { accept: 'text/vnd.mermaid' });
    const mermaidLines = mermaid.text.split('\n').slice(1, -1);
    expect(mermaidLines).toHaveLength(dotLines.length);
    for (const line of mermaidLines) expect(line).toMatch(mermaidLine);
  });

  it('have one line for each node and edge, whatever foreign text they contain', () => {
    const words = fc.string({ unit: anyCharacter, maxLength: 80 });
    const node = fc.record({
      id: words,
      kind: fc.constantFrom('artefact' as const, 'actor' as const, 'statement' as const),
      type: words,
      depth: fc.nat(),
      cut: fc.nat({ max: 1 }),
    });
    const edge = { kind: 'reference' as const, statement: '', time: null, isTrusted: false };
    fc.assert(
      fc.property(fc.array(node, { minLength: 1 }), words, words, (nodes, role, type) => {
        const [from = '', to = ''] = [nodes[0]?.id, nodes.at(-1)?.id];
        const edges = [{ ...edge, from, to, role, type }];
        const lineage = { start: from, nodes, edges, isTruncated: false };
        const dot = [...lineageDot(lineage, new Map())].join('').split('\n').slice(2, -2);
        const mermaid = [...lineageMermaid(lineage, new Map())].join('').split('\n').slice(1, -1);
        for (const [lines, form] of [
          [dot, dotLine],
          [mermaid, mermaidLine],
        ] as const) {
          expect(lines).toHaveLength(nodes.length + 1);
          expect(lines.filter((line) => !form.test(line))).toEqual([]);
        }
      }),
    );
  });
});

const dotLine =
  /^ {2}n\d+( -> n\d+)? \[(shape=\w+, )?label="([^"\\&\p{C}\u2028\u2029]|\\["\\n]|&amp;)*"(, style=dashed)?\];$/u;
const mermaidLine =
  /^ {2}n\d+(\[|\(\[|\[\[| -->\|)"(<br\/>|[\p{L}\p{N} :._…-]|#\d+;)*"(\]|\]\)|\]\]|\| n\d+)$/u;
