import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { carHeader, sectionHead } from '../../src/domain/integrity/car/writing.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { blobUrn, dataStatement, did, ownStatement, validFields } from '../builders/statements.ts';
import { blocksOf } from './car-blocks.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from './manifest-samples.ts';
import { putBlob, type Service, send, useService } from './service.ts';

const service = useService();
const other = useService();

/** A graph with several forms of an id, a credential, a collection, stored blobs and a missing one. */
async function filledGraph(into: Service): Promise<string> {
  const graph = await newGraph(into);
  const files = ['first file', 'second file'];
  const collection = encodeCollection(
    files.map((text) => ({ name: `${text}.txt`, digest: cidOf(codecs.raw, text).digest })),
  );
  for (const bytes of [...files, 'one', 'two', collection.metadata]) await putBlob(into, Buffer.from(bytes));
  await putBlob(into, Buffer.from(collection.root), `?multicodec_code=${codecs.hashSequence}`);
  await send(into, 'PUT', '/store/v1/jcs', { meta: 'data' });
  await putStatements(into, graph, [
    dataStatement([blobUrn('one'), blobUrn('two'), blobUrn('missing')]),
    dataStatement([blobUrn('two'), blobUrn('one'), blobUrn('missing')]),
    dataStatement([blobUrn('missing'), blobUrn('two'), blobUrn('one')]),
    ownStatement('CredentialRegistration', validFields.CredentialRegistration),
    ownStatement('StorageRegistration', {
      data: cidUrn(cidOf(codecs.hashSequence, collection.root)),
      storedOn: blobUrn('one'),
      operatedBy: did,
    }),
    ownStatement('MetadataRegistration', {
      subject: blobUrn('one'),
      metadata: cidUrn(cidOf(codecs.jcs, '{"meta":"data"}')),
    }),
    ...Array.from({ length: 1_200 }, (_, index) => dataStatement(blobUrn(`absent ${index}`))),
  ]);
  return graph;
}

describe('a manifest that is exported and imported into an empty store', () => {
  it('is exported from there with the same bytes, as JSON and as CAR', async () => {
    const graph = await filledGraph(service);
    const filter = `graph_ids=${graph}&${everything}`;
    const json = await exportBytes(service, filter);
    const car = await exportBytes(service, filter, carType);
    const blocks = await blocksOf(car);

    const fromJson = await importBytes(other, json);
    expect(fromJson.status, fromJson.text).toBe(201);
    expect(fromJson.json).toEqual({
      graph_id: expect.any(String),
      statements: { stored: 1_204, known: 0 },
      blobs: { stored: 7, known: 0 },
      contexts: 2,
      unverified_contexts: [],
    });
    const again = await exportBytes(other, `graph_ids=${fromJson.json.graph_id}&${everything}`);
    expect(again.equals(json)).toBe(true);

    const fromCar = await importBytes(other, car, '', carType);
    expect(fromCar.json).toMatchObject({
      statements: { stored: 2, known: 1_204 },
      blobs: { stored: 0, known: 7 },
    });
    const carAgain = await exportBytes(other, `graph_ids=${fromCar.json.graph_id}&${everything}`, carType);
    expect(carAgain.equals(car)).toBe(true);
    const jsonOfCar = await exportBytes(other, `graph_ids=${fromCar.json.graph_id}&${everything}`);
    expect(jsonOfCar.equals(json)).toBe(true);

    // JSON has one form of each id, a CAR has all. Both have the same ids, contexts and blobs.
    const manifest = JSON.parse(json.toString());
    const root = JSON.parse(String(blocks[0]?.bytes));
    expect(root).toEqual({ ...manifest, blobs: {} });
    const statements = blocks.map(({ bytes }) => parsed(bytes)).filter((value) => value?.registeredBy);
    expect(statements).toHaveLength(1_206);
    expect(new Set(statements.map((statement) => statement['@id']))).toEqual(
      new Set(Object.keys(manifest.statements)),
    );
    const names = blocks.map(({ cid }) => cid);
    for (const cid of Object.keys(manifest.blobs)) expect(names).toContain(cid);
    expect(names).toHaveLength(1 + 1_206 + 2 + 7);
  });

  it('carries the blobs again that came with a manifest and that no statement names', async () => {
    const graph = await newGraph(service);
    const collection = encodeCollection([{ name: 'a', digest: cidOf(codecs.raw, 'file in it').digest }]);
    const root = cidOf(codecs.hashSequence, collection.root);
    await putBlob(service, Buffer.from(collection.root), `?multicodec_code=${codecs.hashSequence}`);
    for (const bytes of ['named', 'file in it', collection.metadata])
      await putBlob(service, Buffer.from(bytes));
    await putStatements(service, graph, [dataStatement([blobUrn('named'), cidUrn(root)])]);
    const exported = JSON.parse((await exportBytes(service, `graph_ids=${graph}&${everything}`)).toString());
    const strays = ['stray one', 'stray two'].map((text) => [
      cidOf(codecs.raw, text).text,
      Buffer.from(text).toString('base64'),
    ]);
    const blobs = Object.entries({ ...exported.blobs, ...Object.fromEntries(strays) }).sort();
    const manifest = JSON.stringify({ ...exported, blobs: Object.fromEntries(blobs) });

    const filter = `graph_ids=${randomUUID()}`;
    const query = filter.replace('graph_ids', 'graph_id');
    expect((await importBytes(other, manifest, query)).status).toBe(201);
    expect((await importBytes(other, manifest, query)).status).toBe(200);
    expect((await exportBytes(other, `${filter}&${everything}`)).toString()).toBe(manifest);
    const whole = JSON.parse((await exportBytes(other, everything)).toString());
    for (const [cid = ''] of strays) expect(whole.blobs).toHaveProperty([cid]);
    const car = await exportBytes(other, `${filter}&${everything}`, carType);
    const fromCar = await importBytes(service, car, '', carType);
    expect(fromCar.status, fromCar.text).toBe(201);
    const again = `graph_ids=${fromCar.json.graph_id}&${everything}`;
    expect((await exportBytes(service, again)).toString()).toBe(manifest);
    expect((await exportBytes(service, again, carType)).equals(car)).toBe(true);
    const without = JSON.parse((await exportBytes(service, `graph_ids=${graph}&${everything}`)).toString());
    expect(without).toEqual(exported);
  });

  it('has sorted parts, and says how to verify it', async () => {
    const graph = await filledGraph(service);
    const manifest = JSON.parse((await exportBytes(service, `graph_ids=${graph}&${everything}`)).toString());
    expect(Object.keys(manifest)).toEqual(['version', 'contexts', 'statements', 'blobs']);
    for (const part of ['contexts', 'blobs']) {
      const keys = Object.keys(manifest[part]);
      expect(keys).toEqual(keys.toSorted());
    }
    expect(Object.keys(manifest.contexts)).toContain('https://www.w3.org/ns/credentials/v2');
    expect(Object.values(manifest.blobs)).toContain(Buffer.from('second file').toString('base64'));
    const bare = JSON.parse((await exportBytes(service, `graph_ids=${graph}`)).toString());
    expect(bare).toEqual({ ...manifest, contexts: {}, blobs: {} });
  });
});

describe('a graph in which unverified forms of an id were stored before the trusted one', () => {
  const url = 'https://forms.example/context';
  const terms = 'https://eqtylab.io/terms';
  const context = {
    '@context': {
      Claim: `${terms}/DataRegistration`,
      by: `${terms}/registeredBy`,
      at: { '@id': `${terms}/timestamp`, '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
      what: { '@id': `${terms}/data`, '@type': '@id' },
    },
  };

  it('is exported unchanged', async () => {
    const genuine = dataStatement(blobUrn('in many forms')) as Record<string, string>;
    const path = '/utils/v1/integrity/statement/compute-id';
    const { id } = (await send(service, 'POST', path, { statement: genuine })).json;
    const { registeredBy: by, timestamp: at, data: what } = genuine;
    const form = (index: number) => ({ '@context': url, '@id': id, '@type': 'Claim', by, at, what, index });
    const root = JSON.stringify({
      version: '3',
      contexts: { [url]: context },
      statements: { [id]: form(0) },
    });
    const forms = [1, 2, 3].map((index) => jcs(form(index)));
    const graph = randomUUID();
    const given = carOf(root, [...forms, ...forms]);
    const imported = await importBytes(service, given, `graph_id=${graph}`, carType);
    expect(imported.json, imported.text).toMatchObject({ statements: { stored: 4, known: 0 } });
    expect((await importBytes(service, given, `graph_id=${graph}`, carType)).status).toBe(200);
    await putStatements(service, graph, [genuine]);

    const filter = (of: string) => `graph_ids=${of}&${everything}`;
    const car = await exportBytes(service, filter(graph), carType);
    expect((await blocksOf(car)).map(({ bytes }) => parsed(bytes)?.index)).toEqual(
      expect.arrayContaining([0, 1, 2, 3]),
    );
    const again = await importBytes(other, car, '', carType);
    expect(again.json, again.text).toMatchObject({ statements: { stored: 5, known: 0 } });
    expect((await exportBytes(other, filter(again.json.graph_id), carType)).equals(car)).toBe(true);
    const json = await exportBytes(service, filter(graph));
    expect((await exportBytes(other, filter(again.json.graph_id))).equals(json)).toBe(true);
  });

  function carOf(root: string, forms: readonly string[]): Buffer {
    const section = (cid: Cid, text: string) => [
      sectionHead(cid, Buffer.byteLength(text)),
      Buffer.from(text),
    ];
    const name = cidOf(codecs.raw, root);
    const sections = forms.flatMap((text) => section(cidOf(codecs.jcs, text), text));
    return Buffer.concat([carHeader(name), ...section(name, root), ...sections]);
  }
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at freely
function parsed(bytes: Buffer): any {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
