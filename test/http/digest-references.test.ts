import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { provenance, slsaStatement } from '../builders/provenance.ts';
import { did, ownStatement } from '../builders/statements.ts';
import { postEvidence } from './evidence-samples.ts';
import { newGraph } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const digestsOf = {
  sha512: (bytes: Uint8Array) => createHash('sha512').update(bytes).digest('hex'),
  gitBlob: (bytes: Uint8Array) =>
    createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex'),
  md5: (bytes: Uint8Array) => createHash('md5').update(bytes).digest('hex'),
};

/** Two files with the same MD5 (M. Stevens, Single-block collision attack on MD5, 2012). */
const colliding = [
  '00a8284bf36e8e4b55b35f427593d849676da0d155',
  '02a8284bf36e8e4b55b35f427593d849676da0d1d5',
].map((middle) =>
  Buffer.from(
    `4dc968ff0ee35c209572d4777b721587d36fa7b21bdc56b74a3dc0783e7b9518afbfa2${middle}5d8360fb5f07fea2`,
    'hex',
  ),
);

describe('bytes that evidence knows by another digest', () => {
  const service = useService({ CAIRN_BLOB_HASHES: 'sha512,git,md5' });
  const built = (algorithm: string, hex: string, graph: string) => {
    const runDetails = { ...provenance.runDetails, metadata: { invocationId: randomUUID() } };
    const resolvedDependencies = [{ name: 'weights', digest: { [algorithm]: hex } }];
    const buildDefinition = { ...provenance.buildDefinition, resolvedDependencies };
    const files = {
      deps: [{ path: 'weights', md5: hex }],
      outs: [{ path: randomUUID(), md5: '0'.repeat(32) }],
    };
    const file =
      algorithm === 'md5'
        ? { schema: '2.0', stages: { train: { cmd: 'train', ...files } } }
        : slsaStatement({ predicate: { buildDefinition, runDetails } });
    return async () => (await postEvidence(service, file, `?graph_id=${graph}`)).json;
  };
  const lineage = async (id: string, graph: string) =>
    (await send(service, 'GET', `/lineage/v1/${id}?graph_id=${graph}`)).json;
  const referenceTo = (algorithm: string, hex: string) =>
    cidUrn(cidOf(codecs.jcs, jcs({ namespace: algorithm, name: hex })));

  /** A recorded step that writes the bytes. */
  async function made(bytes: Uint8Array, graph: string) {
    await putBlob(service, bytes);
    const fields = { registeredBy: did, operatedBy: did, input: cidUrn(cidOf(codecs.raw, randomUUID())) };
    const output = cidUrn(cidOf(codecs.raw, bytes));
    const statement = ownStatement('ComputationRegistration', { ...fields, output });
    const { json } = await send(service, 'PUT', '/statements/v1', {
      statement,
      generate_id: true,
      graph_id: graph,
    });
    return `urn:cid:${json.rdfc_cid}`;
  }

  test.each(['sha512', 'gitBlob', 'md5'] as const)(
    'meet their lineage by %s, whether they or the evidence come first',
    async (algorithm) => {
      for (const isFirst of [true, false]) {
        const graph = await newGraph(service);
        const bytes = randomBytes(20);
        const post = built(algorithm, digestsOf[algorithm](bytes), graph);
        const before = isFirst ? await post() : undefined;
        const step = await made(bytes, graph);
        const after = await post();
        if (before) expect(after).toEqual(before);
        const reference = referenceTo(algorithm, digestsOf[algorithm](bytes));
        const sha256 = makeCid(codecs.raw, createHash('sha256').update(bytes).digest(), 'sha2-256');
        for (const id of [reference, cidUrn(cidOf(codecs.raw, bytes)), cidUrn(sha256)]) {
          const { nodes, edges, id: start } = await lineage(id, graph);
          const ids = nodes.map((node: { id: string }) => node.id);
          expect(ids).toContain(step);
          expect(ids).not.toContain(reference);
          const node = nodes.find((one: { id: string }) => one.id === start);
          expect([start, node.name]).toEqual([cidUrn(cidOf(codecs.raw, bytes)), 'weights']);
          expect(edges.filter(({ from }: { from: string }) => from === start)).not.toHaveLength(0);
          const found = (await send(service, 'GET', `/cid/v1/find/${id}`)).json.statements;
          expect(found.map((one: { id: string }) => one.id)).toContain(step);
        }
        // The reference keeps a content of its own.
        const document = await service.app.request(`/store/v1/blob/${reference.slice('urn:cid:'.length)}`);
        expect(await document.json()).toEqual({ namespace: algorithm, name: digestsOf[algorithm](bytes) });
      }
    },
  );

  test('are found by that digest before anybody stores them', async () => {
    const graph = await newGraph(service);
    const hex = digestsOf.sha512(randomBytes(20));
    await built('sha512', hex, graph)();
    const { json } = await send(service, 'GET', `/search/v1?q=sha512:${hex}`);
    expect(JSON.stringify(json)).toContain(referenceTo('sha512', hex));
  });

  test('stay apart while two stored files have the same MD5', async () => {
    const [one, other] = colliding as [Buffer, Buffer];
    expect([digestsOf.md5(one), one.equals(other)]).toEqual([digestsOf.md5(other), false]);
    const graph = await newGraph(service);
    await built('md5', digestsOf.md5(one), graph)();
    const steps = [await made(one, graph), await made(other, graph)];
    const { nodes } = await lineage(referenceTo('md5', digestsOf.md5(one)), graph);
    const ids = nodes.map(({ id }: { id: string }) => id);
    expect(steps.filter((step) => ids.includes(step))).toEqual([]);
    const { id } = await lineage(cidUrn(cidOf(codecs.raw, one)), graph);
    expect(id).toBe(cidUrn(cidOf(codecs.raw, one)));
  });
});
