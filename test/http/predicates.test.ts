import { afterAll, describe, expect, test } from 'vitest';
import { cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { preAuthenticationEncoding } from '../../src/domain/integrity/proofs/dsse.ts';
import { newKey } from '../builders/keys.ts';
import { sha256, slsaStatement } from '../builders/provenance.ts';
import { startSigstore } from '../builders/sigstore.ts';
import { did } from '../builders/statements.ts';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

const sigstore = await startSigstore();
afterAll(() => sigstore[Symbol.asyncDispose]());

const service = useService();
const builder = newKey();
const artefact = (digit: string) =>
  cidUrn(makeCid(codecs.raw, Buffer.from(sha256(digit), 'hex'), 'sha2-256'));
const image = { name: 'image', digest: { sha256: sha256('a') } };
const about = (predicateType: string, predicate: unknown, subject: object[] = [image]) =>
  slsaStatement({ predicateType, predicate, subject });

function signed(statement: object) {
  const payloadType = 'application/vnd.in-toto+json';
  const payload = Buffer.from(JSON.stringify(statement));
  const sig = builder.sign(preAuthenticationEncoding(payloadType, payload)).toString('base64');
  return { payloadType, payload: payload.toString('base64'), signatures: [{ keyid: builder.did, sig }] };
}

async function imported(file: unknown) {
  const graph = await newGraph(service);
  const { status, json } = await postEvidence(service, file, `?graph_id=${graph}&registered_by=${did}`);
  const get = async (path: string) => (await send(service, 'GET', `${path}?graph_id=${graph}`)).json;
  return { status, json, get };
}

test('link metadata, as in-toto-run writes it, is a run from its materials to its products', async () => {
  const link = {
    _type: 'link',
    name: 'compile',
    command: ['cc'],
    materials: { 'a.c': { sha256: sha256('b') } },
    products: { a: { sha256: sha256('a') } },
    byproducts: { 'return-value': 0, stdout: '', stderr: '' },
    environment: {},
  };
  const files = [{ signed: link, signatures: [{ keyid: 'ab', sig: 'cd' }] }, signed(link)];
  for (const [at, file] of files.entries()) {
    const { json, get } = await imported(file);
    expect([json.kind, json.signatures.length]).toEqual([['in-toto-link', 'dsse'][at], at]);
    const [inputs, outputs] = [[{ id: artefact('b') }], [{ id: artefact('a') }]];
    expect((await get('/runs/v1')).runs).toMatchObject([
      { name: 'compile', result: 'succeeded', inputs, outputs },
    ]);
  }
  const wrong = { ...link, products: { a: { sha256: 'zz' } } };
  const { status, json } = await imported({ signed: wrong, signatures: [] });
  expect([status, json.details?.[0]?.pointer]).toEqual([400, '/signed/products/a/sha256']);
});

describe('an in-toto link', () => {
  const materials = { 'src/a.c': { sha256: sha256('b') } };
  const said = { name: 'compile', command: ['cc', 'a.c'], byproducts: { 'return-value': 1 } };
  test.each([
    ['v0.3', 'https://in-toto.io/attestation/link/v0.3', [{ name: 'src/a.c', digest: materials['src/a.c'] }]],
    ['v1', 'https://in-toto.io/Link/v1', materials],
  ])('%s is a run from its materials to the subjects', async (_, type, given) => {
    const { json, get } = await imported(about(type, { ...said, materials: given }));
    expect(json.kind).toBe('in-toto');
    expect((await get('/runs/v1')).runs).toMatchObject([
      {
        name: 'compile',
        command: ['cc', 'a.c'],
        result: 'failed',
        inputs: [{ id: artefact('b'), name: 'src/a.c' }],
        outputs: [{ id: artefact('a'), name: 'image' }],
      },
    ]);
  });
});

describe('a bill of materials in an attestation', () => {
  const component = (digit: string) => ({
    type: 'library',
    'bom-ref': `lib-${digit}`,
    name: `lib-${digit}`,
    hashes: [{ alg: 'SHA-256', content: sha256(digit) }],
  });
  const bom = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { timestamp: '2026-01-31T12:00:00Z', component: { type: 'application', name: 'app' } },
    components: [component('b'), component('c')],
  };
  const { metadata: _, ...bomOfFile } = bom;
  const spdx = {
    spdxVersion: 'SPDX-2.3',
    SPDXID: 'SPDXRef-DOCUMENT',
    dataLicense: 'CC0-1.0',
    name: 'image',
    documentNamespace: 'https://example.com/image',
    creationInfo: { created: '2026-01-31T12:00:00Z', creators: ['Tool: t'] },
    packages: ['b', 'c'].map((digit) => ({
      SPDXID: `SPDXRef-${digit}`,
      name: `lib-${digit}`,
      downloadLocation: 'NOASSERTION',
      checksums: [{ algorithm: 'SHA256', checksumValue: sha256(digit) }],
    })),
  };
  const ofCyclonedx = 'https://cyclonedx.org/bom';
  const ofSpdx = 'https://spdx.dev/Document';

  test.each([
    ['CycloneDX', ofCyclonedx, bom],
    ['CycloneDX without a product', ofCyclonedx, bomOfFile],
    ['CycloneDX as early versions of cosign wrap it', 'https://cyclonedx.org/bom/v1.6', { Data: bom }],
    ['SPDX', ofSpdx, spdx],
  ])('in %s says what the subject includes, signed by the envelope', async (_name, type, predicate) => {
    const { status, json, get } = await imported(signed(about(type, predicate)));
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'dsse']);
    expect(json.signatures).toEqual([{ result: 'ok', signer: builder.did }]);
    const { nodes, edges } = await get(`/lineage/v1/${artefact('a')}`);
    const named = nodes.filter(({ id }: { id: string }) => [artefact('b'), artefact('c')].includes(id));
    expect(named.map(({ name }: { name: string }) => name).toSorted()).toEqual(['lib-b', 'lib-c']);
    const [statement] = edges.filter(({ to }: { to: string }) => to === artefact('b'));
    const path = `/statements/v1/id/${statement.statement.slice('urn:cid:'.length)}/verification`;
    const { trust } = (await send(service, 'GET', path)).json;
    expect(trust).toMatchObject({ state: 'signed', by: builder.did });
  });

  test('is refused with its place if it does not follow the official schema', async () => {
    const wrong = { ...bom, components: [{ ...component('b'), type: 'nonsense' }] };
    const { status, json } = await imported(signed(about(ofCyclonedx, wrong)));
    expect([status, json.details?.[0]?.pointer]).toEqual([400, '/predicate/components/0/type']);
    for (const components of [{}, [null], 'x', [{ ...component('b'), hashes: {} }]]) {
      const answer = await imported(about(ofCyclonedx, { ...bom, components }));
      expect(answer.status, JSON.stringify(answer.json)).toBe(400);
    }
  });

  test('in the text notation of SPDX stays metadata of the subject, and no other text is a predicate', async () => {
    expect((await imported(about(ofSpdx, 'SPDXVersion: SPDX-2.3'))).status).toBe(201);
    const { status, json } = await imported(about('https://slsa.dev/provenance/v1', 'text'));
    expect([status, json.details?.[0]?.pointer]).toEqual([400, '/predicate']);
  });

  test('whose signature no statement can carry is a claim', async () => {
    const properties = [{ name: 'large', value: 'x'.repeat(800_000) }];
    const { status, json, get } = await imported(signed(about(ofCyclonedx, { ...bom, properties })));
    expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'dsse']);
    const reason = expect.stringContaining('CAIRN_MAX_STATEMENT_BYTES');
    expect(json.signatures).toEqual([{ result: 'unknown', reason, signer: null }]);
    const { nodes } = await get(`/lineage/v1/${artefact('a')}`);
    expect(nodes.map(({ id }: { id: string }) => id)).toContain(artefact('b'));
  });

  test('of a version that is not read here stays metadata of the subject', async () => {
    const { status, json } = await imported(about(ofCyclonedx, { ...bom, specVersion: '1.2' }));
    expect([status, json.kind]).toEqual([201, 'in-toto']);
  });
});

test('the answer of gh attestation verify is taken', async () => {
  const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), {
    type: 'application/vnd.in-toto+json',
  });
  const verified = [{ attestation: { bundle, bundle_url: '', initiator: '' }, verificationResult: {} }];
  const { status, json, get } = await imported(JSON.stringify(verified, null, 1));
  expect([status, json.kind], JSON.stringify(json)).toEqual([201, 'attestations']);
  expect((await get('/runs/v1')).runs).toHaveLength(1);
  for (const list of [[], [1], [{}], [{ attestation: {} }]])
    expect((await imported(JSON.stringify(list))).status).toBe(400);
});
