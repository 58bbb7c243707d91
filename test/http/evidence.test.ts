import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { provenance, sha256, slsaStatement } from '../builders/provenance.ts';
import { did } from '../builders/statements.ts';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const service = useService();
const post = (file: unknown, query?: string, type?: string) => postEvidence(service, file, query, type);
const artefact = (digit: string) =>
  cidUrn(makeCid(codecs.raw, Buffer.from(sha256(digit), 'hex'), 'sha2-256'));

describe('SLSA provenance', () => {
  test('becomes a run from its dependencies to its subjects, with names', async () => {
    const graph = await newGraph(service);
    const { status, json } = await post(slsaStatement(), `?graph_id=${graph}&registered_by=${did}`);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'in-toto']);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    expect(runs).toMatchObject([
      {
        name: '.github/workflows/release.yml',
        started: '2026-01-31T12:00:00.000Z',
        duration: 90,
        result: 'succeeded',
        trust: { state: 'claimed' },
        inputs: [{ name: 'github.com/o/app@v1' }, { id: artefact('b') }],
        outputs: [{ id: artefact('a'), name: 'app.tar.gz' }],
      },
    ]);
    const lineage = await send(service, 'GET', `/lineage/v1/${artefact('a')}?graph_id=${graph}`);
    const nodes = lineage.json.nodes.map(({ id }: { id: string }) => id);
    expect(nodes).toEqual(expect.arrayContaining([artefact('b'), `urn:cid:${json.blob}`]));
  });

  test('is kept byte for byte, and a repeat stores nothing', async () => {
    const file = JSON.stringify(slsaStatement(), null, 3);
    const first = await post(file, `?registered_by=${did}`);
    const again = await post(file, `?registered_by=${did}`);
    expect([first.status, again.status]).toEqual([201, 200]);
    expect(again.json).toEqual(first.json);
    const blob = await service.app.request(`/store/v1/blob/${first.json.blob}`, {
      headers: { host: 'localhost' },
    });
    expect(await blob.text()).toBe(file);
  });

  test('without a time gives the same statements whenever it comes again', async () => {
    const { metadata: _, ...runDetails } = provenance.runDetails;
    const file = slsaStatement({ predicate: { ...provenance, runDetails } });
    const first = await post(file);
    await service.restart();
    expect(await post(file)).toEqual({ ...first, status: 200 });
  });
});

describe('a file that is refused', () => {
  const withSubject = (digest: object) => slsaStatement({ subject: [{ name: 'app', digest }] });
  test.each([
    ['a subject without a digest', withSubject({}), '/subject/0/digest'],
    ['a subject with an empty digest', withSubject({ sha256: '' }), '/subject/0/digest/sha256'],
    ['a digest that is none', withSubject({ sha256: 'abc' }), '/subject/0/digest/sha256'],
    ['a SHA-512 digest that is too short', withSubject({ sha512: 'ab' }), '/subject/0/digest/sha512'],
    ['a SHA-1 digest that is no hex', withSubject({ sha1: 'x'.repeat(40) }), '/subject/0/digest/sha1'],
    ['a digest without an algorithm', withSubject({ '': 'ab' }), '/subject/0/digest/'],
    ['no subject', slsaStatement({ subject: [] }), '/subject'],
    [
      'a build at no time',
      slsaStatement({
        predicate: {
          ...provenance,
          runDetails: { ...provenance.runDetails, metadata: { startedOn: 'yesterday' } },
        },
      }),
      '/predicate/runDetails/metadata/startedOn',
    ],
    ['another version', slsaStatement({ _type: 'https://in-toto.io/Statement/v7' }), '/_type'],
    [
      'provenance without a builder',
      slsaStatement({ predicate: { ...provenance, runDetails: {} } }),
      '/predicate/runDetails/builder',
    ],
  ])('%s says where', async (_, file, pointer) => {
    const { status, json } = await post(file);
    expect([status, json.code, json.details?.[0]?.pointer]).toEqual([400, 'invalid_evidence', pointer]);
  });

  test.each([
    [
      'another format',
      { hello: 'world' },
      'invalid_evidence',
      'It is no evidence in a known format: in-toto statement',
    ],
    [
      'a dependency snapshot',
      { version: 0, job: {}, detector: { name: 'syft' }, manifests: {} },
      'invalid_evidence',
      'A dependency snapshot of GitHub is not read by itself. Write the same as CycloneDX or SPDX in JSON.',
    ],
    [
      'OpenVEX',
      { '@context': 'https://openvex.dev/ns/v0.2.0', statements: [] },
      'invalid_evidence',
      'OpenVEX is not read by itself. Make it the predicate of an in-toto statement',
    ],
    [
      'CSAF',
      { document: { category: 'csaf_vex', csaf_version: '2.0' } },
      'invalid_evidence',
      'CSAF is not read by itself',
    ],
    ['gzip', gzipSync('{}'), 'invalid_json', 'The file looks compressed (gzip). Decompress it first.'],
    [
      'a trace',
      { resourceSpans: [] },
      'invalid_evidence',
      'Send it to POST /v1/traces of the control plane.',
    ],
    [
      'a layout of in-toto',
      { signed: { _type: 'layout', steps: [] }, signatures: [] },
      'invalid_evidence',
      'A layout of in-toto is not read by itself. It says which steps are wanted',
    ],
    [
      'a layout in an envelope',
      {
        payloadType: 'application/vnd.in-toto+json',
        payload: Buffer.from('{"_type":"layout"}').toString('base64'),
        signatures: [{ keyid: '', sig: 'MEUC' }],
      },
      'invalid_evidence',
      'A layout of in-toto is not read by itself',
    ],
    [
      'an early bundle of cosign',
      { base64Signature: 'MEUC', cert: 'LS0t', rekorBundle: {} },
      'invalid_evidence',
      'Sign with "cosign sign-blob --new-bundle-format',
    ],
    [
      'a file of Syft',
      { artifacts: [], descriptor: { name: 'syft' } },
      'invalid_evidence',
      'syft convert FILE -o cyclonedx-json',
    ],
    [
      'a file of Trivy',
      { SchemaVersion: 2, ArtifactName: 'app', Results: [] },
      'invalid_evidence',
      'trivy convert --format cyclonedx FILE',
    ],
    [
      'a file of two formats',
      { ...slsaStatement(), bomFormat: 'CycloneDX', specVersion: '1.6' },
      'invalid_evidence',
      'It claims to be both in-toto statement and CycloneDX',
    ],
    ['a list', [slsaStatement()], 'invalid_evidence', 'Send the elements of a list one per line'],
    [
      'UTF-16',
      Buffer.from(JSON.stringify(slsaStatement()), 'utf16le'),
      'invalid_json',
      'UTF-16. Write it in UTF-8',
    ],
    [
      'UTF-16 with a mark',
      Buffer.from(`\ufeff${JSON.stringify(slsaStatement())}`, 'utf16le'),
      'invalid_json',
      'UTF-16. Write it in UTF-8',
    ],
    ['no JSON', 'hello', 'invalid_json', ''],
    ['the same member twice', '{"_type":1,"_type":2}', 'invalid_json', '_type'],
  ])('%s says what is wrong', async (_, file, code, words) => {
    const { status, json } = await post(file);
    expect([status, json.code]).toEqual([400, code]);
    expect(json.error).toContain(words);
  });
});

test('a file that is too large is refused before it is read', async () => {
  const response = await service.app.request('/evidence/v1', {
    method: 'POST',
    headers: { 'content-length': String(200 << 20), host: 'localhost' },
    body: 'never read',
  });
  const { code, error } = (await response.json()) as { code: string; error: string };
  expect([response.status, code]).toEqual([413, 'too_large']);
  expect(error).toContain('CAIRN_MAX_EVIDENCE_BYTES');
});

describe('JSON lines', () => {
  const lines = [
    slsaStatement(),
    slsaStatement({ subject: [] }),
    slsaStatement({ predicateType: 'x:other' }),
  ];
  const texts = lines.map((line) => JSON.stringify(line));

  test('are files of their own, and a bad one keeps none of the others from being taken', async () => {
    const file = `${texts[0]}\n\n${texts[1]}\r\n${texts[2]}\n${texts[0]?.slice(0, 300)}`;
    const { status, json } = await post(file, `?registered_by=did:web:lines.example`);
    expect(status).toBe(201);
    expect(json.results).toMatchObject([
      { line: 1, kind: 'in-toto' },
      { line: 3, code: 'invalid_evidence', pointer: '/subject' },
      { line: 4, kind: 'in-toto' },
      { line: 5, code: 'invalid_json' },
    ]);
    const alone = await post(texts[0], `?registered_by=did:web:lines.example`);
    expect(alone).toEqual({ status: 200, json: { ...json.results[0], line: undefined } });
  });

  test('of a number that the service could not hold are refused together', async () => {
    const { status, json } = await post('{}\n'.repeat(10_001));
    expect([status, json.code]).toEqual([413, 'too_large']);
    expect(json.error).toContain('more than 10000 lines');
  });
});

describe('what tools write beside the specifications', () => {
  const { builder: _, ...withoutBuilder } = provenance.runDetails;
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    dataLicense: 'CC0-1.0',
    name: 'com.github.o/r',
    documentNamespace: 'https://example.com/r',
    creationInfo: { created: '2026-01-31T12:00:00Z', creators: ['Tool: GitHub.com-Dependency-Graph'] },
    packages: [{ SPDXID: 'SPDXRef-a', name: 'a', downloadLocation: 'NOASSERTION' }],
  };
  const ofBuild = (runDetails: object) => slsaStatement({ predicate: { ...provenance, runDetails } });
  const utf8Mark = '\ufeff';

  test.each([
    ['BuildKit without a name for itself', ofBuild({ ...withoutBuilder, builder: { id: '' } }), 'in-toto'],
    [
      'null for what is not known',
      ofBuild({ ...provenance.runDetails, metadata: { startedOn: null, invocationId: null } }),
      'in-toto',
    ],
    ['the API of GitHub around an SBOM', { sbom: spdx }, 'spdx-2'],
    ['a byte order mark', `${utf8Mark}${JSON.stringify(spdx)}`, 'spdx-2'],
  ])('%s is taken', async (_name, file, kind) => {
    const { status, json } = await post(file);
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, kind]);
  });

  test('a byte order mark before JSON lines is taken', async () => {
    const lines = [slsaStatement(), ofBuild(provenance.runDetails)].map((one) => JSON.stringify(one));
    const { json } = await post(`${utf8Mark}${lines.join('\n')}\n`);
    expect(json.results.map(({ kind }: { kind: string }) => kind)).toEqual(['in-toto', 'in-toto']);
  });

  test('a problem in an SBOM of GitHub has its place', async () => {
    const { json } = await post({ sbom: { ...spdx, name: 5 } });
    expect(json.details?.[0]?.pointer).toBe('/sbom/name');
  });

  test('things and builds get names that people read', async () => {
    const graph = await newGraph(service);
    const subject = [
      { name: 'pkg:docker/%40o/app@latest?platform=linux%2Famd64', digest: { sha256: sha256('d') } },
    ];
    const materials = [
      { uri: 'https://github.com/o/r.git#refs/heads/main', digest: { sha1: 'e'.repeat(40) } },
      { uri: 'git+https://github.com/o/r@refs/tags/v1', digest: { sha1: 'f'.repeat(40) } },
    ];
    const predicate = {
      builder: { id: '' },
      buildType: 'https://mobyproject.org/buildkit@v1',
      invocation: { configSource: { entryPoint: 'Dockerfile' } },
      materials,
    };
    const predicateType = 'https://slsa.dev/provenance/v0.2';
    const file = slsaStatement({ subject, predicateType, predicate });
    expect((await post(file, `?graph_id=${graph}`)).status).toBe(201);
    const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
    expect(runs).toMatchObject([
      {
        name: 'Build of @o/app@latest',
        inputs: [{ name: 'github.com/o/r@main' }, { name: 'github.com/o/r@v1' }],
        outputs: [{ name: '@o/app@latest' }],
      },
    ]);
  });

  test('all names of the same bytes are found, and the first is shown', async () => {
    const digest = { sha256: sha256('9') };
    const subject = ['pkg:docker/stall@latest', 'pkg:docker/stall@9.8.7'].map((name) => ({ name, digest }));
    expect((await post(slsaStatement({ subject }))).status).toBe(201);
    for (const name of ['stall@latest', 'stall@9.8.7']) {
      const { artefacts } = (await send(service, 'GET', `/search/v1?q=${name}`)).json;
      expect(artefacts, name).toMatchObject({ items: [{ id: artefact('9'), name: 'stall@latest' }] });
    }
  });
});
