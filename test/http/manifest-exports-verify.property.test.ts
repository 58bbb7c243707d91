import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { cidOf, cidUrn, codecs, makeCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { sha256Digest } from '../../src/domain/integrity/identifiers/hashing.ts';
import { manifest } from '../builders/manifests.ts';
import { usePool } from '../builders/statement-pool.ts';
import {
  blobUrn,
  dataStatement,
  did,
  identifierWith,
  identifyOptions,
  type Json,
  ownStatement,
} from '../builders/statements.ts';
import { verifiedManifest } from '../builders/verified-manifest.ts';
import { runs } from '../property-runs.ts';
import { newPolicy, newSubject, post, posted, submission } from './governance/governance.ts';
import { carType, exportBytes, importBytes, newGraph, putStatements } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

const service = useService();
const pool = usePool();

const text = fc.constantFrom('one', 'two', 'three', '{"name":"four"}', '');
/** A collection of the blobs of these texts. */
const collection = fc.uniqueArray(text, { minLength: 1, maxLength: 3 }).map((texts) => {
  const files = texts.map((name) => ({ name: `${name}.txt`, digest: cidOf(codecs.raw, name).digest }));
  const { root, metadata } = encodeCollection(files);
  return { cid: cidOf(codecs.hashSequence, root), root, parts: [...texts.map(Buffer.from), metadata] };
});
type Collection = typeof collection extends fc.Arbitrary<infer Value> ? Value : never;
const codec = fc.constantFrom(codecs.raw, codecs.jcs);
const reference = fc.oneof(
  text.map(blobUrn),
  fc.tuple(codec, text).map(([code, name]) => cidUrn(cidOf(code, name))),
  collection.map(({ cid }) => cidUrn(cid)),
  fc.constant(blobUrn('never stored')),
);
const references = fc.uniqueArray(reference, { minLength: 1, maxLength: 3 });
const statement: fc.Arbitrary<Json> = fc.oneof(
  references.map(dataStatement),
  fc
    .tuple(reference, reference)
    .map(([subject, metadata]) => ownStatement('MetadataRegistration', { subject, metadata })),
  fc
    .tuple(references, reference)
    .map(([input, output]) =>
      ownStatement('ComputationRegistration', { input, output, computation: output, operatedBy: did }),
    ),
);

type Step = (graphs: string[]) => Promise<void>;

const storedBlob = text.map(
  (name): Step =>
    async () =>
      void (await putBlob(service, Buffer.from(name))),
);
const storedCollection = collection.map(
  (one): Step =>
    async () => {
      for (const bytes of one.parts) await putBlob(service, bytes);
      await putBlob(service, Buffer.from(one.root), `?multicodec_code=${codecs.hashSequence}`);
    },
);
const newGraphOf = fc.tuple(fc.array(statement, { maxLength: 4 }), fc.boolean(), fc.boolean()).map(
  ([statements, isChild, issue_vc]): Step =>
    async (graphs) => {
      const graph = await newGraph(service, isChild && graphs[0] ? { parent_id: graphs[0] } : {});
      graphs.push(graph);
      if (statements.length === 0) return;
      await putStatements(service, graph, statements);
      const [first] = statements;
      if (issue_vc)
        await send(service, 'PUT', '/statements/v1', {
          statement: first,
          graph_id: graph,
          generate_id: true,
          issue_vc,
        });
    },
);

/** Contexts that nobody knows, as tools write them: with white space, and under a URL or their own CID. */
const context = fc
  .tuple(fc.constantFrom('https://contexts.example/terms', 'own CID'), fc.constantFrom(0, 2), fc.nat(2))
  .map(([name, indent, term]) => {
    const document = { '@context': { [`term${term}`]: `https://terms.example/${term}` } };
    const bytes = JSON.stringify(document, undefined, indent);
    return { url: name === 'own CID' ? blobUrn(bytes) : name, document, bytes, term: `term${term}` };
  });
const attached = fc.oneof(
  fc.tuple(codec, text).map(([code, name]) => [[cidOf(code, name).text, name] as const]),
  text.map((name) => [
    [makeCid(codecs.raw, sha256Digest(Buffer.from(name)), 'sha2-256').text, name] as const,
  ]),
  collection.map((one: Collection) => [
    [one.cid.text, one.root] as const,
    ...one.parts.map((bytes) => [cidOf(codecs.raw, bytes).text, bytes] as const),
  ]),
);
/** A manifest of somebody else: own contexts, statements under them, blobs that nothing names, anchors. */
const importedGraph = fc
  .tuple(fc.array(attached, { maxLength: 4 }), fc.option(context), fc.boolean(), fc.boolean())
  .map(
    ([strays, own, isAnchored, isCar]): Step =>
      async (graphs) => {
        const statements: Record<string, unknown> = {};
        if (own) {
          const identifier = identifierWith({ [own.url]: own.document });
          const body = Buffer.from(JSON.stringify({ '@context': own.url, [own.term]: 'said' }));
          const { jcs } = await identifier.identify(body, { ...identifyOptions, strict: false });
          const made = JSON.parse(jcs);
          statements[made['@id']] = made;
        }
        const blobs = Object.fromEntries(
          strays.flat().map(([cid, bytes]) => [cid, Buffer.from(bytes).toString('base64')]),
        );
        const anchors = isAnchored ? [{ statements: Object.keys(statements) }] : [];
        const body = JSON.stringify(manifest({ statements, blobs, anchors }));
        const contexts = own ? `{${JSON.stringify(own.url)}:${own.bytes}}` : '{}';
        const given = body.replace('"contexts":{}', `"contexts":${contexts}`);
        const { json, text: answer } = await importBytes(service, given);
        expect(json.graph_id, answer).toEqual(expect.any(String));
        graphs.push(json.graph_id);
        if (!isCar) return;
        const query = `graph_ids=${json.graph_id}&include_context=true&include_blobs=true`;
        const again = await importBytes(service, await exportBytes(service, query, carType), '', carType);
        expect(again.status, again.text).toBe(201);
        graphs.push(again.json.graph_id);
      },
  );
const importedPolicy = fc.tuple(fc.boolean(), fc.boolean()).map(
  ([includeContext, isCertified]): Step =>
    async (graphs) => {
      const [project, subject, policy] = [
        randomUUID(),
        await newSubject(service),
        await newPolicy(service, 2),
      ];
      const { policyCid, controlCids: controlCid } = policy;
      await posted(service, `controls/declaration/${subject}/${project}`, { ...submission, controlCid });
      if (isCertified)
        await posted(service, `policy/compliance/${project}`, {
          subjectCid: subject,
          policyCid,
          expiryDate: '2099-12-31',
        });
      const asked = { policyCids: [policyCid], includeBlobs: true, includeContext };
      const exported = await post(service, `policy/manifest/${project}`, asked);
      const { findings } = await verifiedManifest(pool, Buffer.from(exported.text));
      expect(findings.filter(({ kind }) => kind === 'fault')).toEqual([]);
      const { json, text: answer } = await importBytes(service, exported.text);
      expect(json.graph_id, answer).toEqual(expect.any(String));
      graphs.push(project, json.graph_id);
    },
);

const steps = fc.array(
  fc.oneof(storedBlob, storedCollection, newGraphOf, importedGraph, { arbitrary: importedPolicy, weight: 1 }),
  { minLength: 1, maxLength: 6 },
);

/** Exports graphs, or everything, in both forms. */
async function expectVerified(graphs: readonly string[], parts: string): Promise<void> {
  for (const [type, form] of [
    ['application/json', 'json'],
    [carType, 'car'],
  ] as const) {
    const which = graphs.length > 0 ? `graph_ids=${graphs.join(',')}&` : '';
    const bytes = await exportBytes(service, which + parts, type);
    const { findings } = await verifiedManifest(pool, bytes, form);
    expect(findings.filter(({ kind }) => kind === 'fault')).toEqual([]);
  }
}

it('whatever can be exported is verified offline without a problem', async () => {
  await fc.assert(
    fc.asyncProperty(steps, fc.boolean(), fc.boolean(), async (all, isBlobs, isDescendants) => {
      const graphs: string[] = [];
      for (const step of all) await step(graphs);
      const some = graphs.filter((_, at) => at % 2 === 0);
      const parts = `include_context=true&include_blobs=${isBlobs}&include_descendants=${isDescendants}`;
      for (const chosen of [graphs, some]) if (chosen.length > 0) await expectVerified(chosen, parts);
    }),
    { numRuns: runs(60) },
  );
  for (const isBlobs of [true, false])
    await expectVerified([], `include_context=true&include_blobs=${isBlobs}`);
});
