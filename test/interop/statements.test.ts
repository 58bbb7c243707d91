import { describe, expect, test } from 'vitest';
import { decodeCollection, encodeCollection } from '../../src/domain/integrity/blobs/iroh-collection.ts';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads, serializeNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import {
  cidIn,
  cidOf,
  codecs,
  digestHex,
  makeCid,
  parseCid,
} from '../../src/domain/integrity/identifiers/cid.ts';
import { parseNQuads } from '../builders/nquads.ts';
import { bytesOf, dsseFields, identifyOptions, ownStatement, validFields } from '../builders/statements.ts';
import { describeTestData, listTestData, readTestBytes, readTestJson, readTestText } from '../test-data.ts';

interface StatementVector {
  readonly name: string;
  readonly statement: Readonly<Record<string, unknown>>;
  readonly rdfc_cid: string;
  readonly jcs_cid: string;
  readonly nquads: string;
}

interface CollectionVector {
  readonly files: Readonly<Record<string, string>>;
  readonly file_cids: Readonly<Record<string, string>>;
  readonly meta_hex: string;
  readonly collection_cid_published: string;
}

const commonContext = 'urn:cid:bafkr4icploa577ziqnb57jlpoj7l2hi5kgt3knxpdtunlttjd3q33zeqpy';

/** A world with all context documents of the folder, trusted as they are named. */
function publicWorld(): ContextWorld {
  const world = ContextWorld.bundled();
  for (const name of listTestData('interop', 'contexts', 'cid')) {
    world.add(contextDocument(`urn:cid:${name}`, readTestText('interop', 'contexts', 'cid', name)));
  }
  for (const name of listTestData('interop', 'contexts', 'https', 'eqtylab.io', 'contexts')) {
    const text = readTestText('interop', 'contexts', 'https', 'eqtylab.io', 'contexts', name);
    world.add(contextDocument(`https://eqtylab.io/contexts/${name}`, text));
  }
  return world;
}

function certifiedNames(): string[] {
  return listTestData('interop', 'contexts', 'cid').filter((name) => {
    const digest = cidOf(codecs.raw, readTestBytes('interop', 'contexts', 'cid', name)).digest;
    return Buffer.compare(parseCid(name).digest, digest) === 0;
  });
}

describeTestData('statements of the public vocabulary', () => {
  const { statements } = readTestJson<{ statements: StatementVector[] }>('interop', 'vectors.json');
  const identifier = new StatementIdentifier(publicWorld());

  test.each(statements)('$name: both CIDs and the N-Quads', async ({ statement, ...expected }) => {
    const identified = await identifier.identify(bytesOf(statement), {
      ...identifyOptions,
      generateId: false,
    });
    expect(identified.rdfcCid.text).toBe(expected.rdfc_cid);
    expect(identified.jcsCid.text).toBe(expected.jcs_cid);
    expect(identified.nquads).toBe(expected.nquads);
    expect(identified.kind).toBe(statement['@type']);
    expect(identified.isCovered).toBe(true);
  });

  test.each(statements)('$name: the same id in the own context', async ({ statement, rdfc_cid }) => {
    const own = { ...statement, '@context': ownContextUrl };
    const options = { ...identifyOptions, generateId: false, strict: false };
    expect((await identifier.identify(bytesOf(own), options)).rdfcCid.text).toBe(rdfc_cid);
  });

  test.each(statements)('$name: an @id that is not its own is refused', async ({ statement }) => {
    const other = { ...statement, timestamp: '2024-06-27T21:40:38Z' };
    const refusal = identifier.identify(bytesOf(other), { ...identifyOptions, generateId: false });
    await expect(refusal).rejects.toHaveProperty('code', 'id_mismatch');
  });

  describe('what the public context leaves out of the id, the own context covers', () => {
    const options = { ...identifyOptions, reportCoverage: true };
    const association = ownStatement('AssociationRegistration');

    test('the type of an association', async () => {
      const foreign = { ...association, '@context': commonContext };
      const inForeign = await identifier.identify(bytesOf(foreign), options);
      expect(inForeign.isCovered).toBe(false);
      expect(inForeign.uncovered.map(({ pointer }) => pointer)).toEqual(['/type']);
      const inOwn = await identifier.identify(bytesOf(association), options);
      expect(inOwn).toMatchObject({ isCovered: true, uncovered: [] });
    });

    test('which of the two is the signature of a DSSE envelope, and which its key', async () => {
      const withSignature = (keyid: string, sig: string) => ({
        credentialDsse: { ...(dsseFields.credentialDsse as object), signatures: [{ keyid, sig }] },
      });
      const idsIn = async (context: unknown) => {
        const forms = [withSignature('a2V5', 'c2ln'), withSignature('c2ln', 'a2V5')].map((fields) => ({
          ...ownStatement('CredentialRegistration', fields),
          '@context': context,
        }));
        const ids = await Promise.all(forms.map((form) => identifier.identify(bytesOf(form), options)));
        return new Set(ids.map(({ rdfcCid }) => rdfcCid.text));
      };
      expect(await idsIn(commonContext)).toHaveLength(1);
      expect(await idsIn(ownContextUrl)).toHaveLength(2);
    });

    test('the ids of associations differ by their type', async () => {
      const types = ['certifies', 'includes', 'isInstanceOf'];
      const forms = types.map((type) => ({ ...association, ...validFields.AssociationRegistration, type }));
      const ids = await Promise.all(forms.map((form) => identifier.identify(bytesOf(form), options)));
      expect(new Set(ids.map(({ rdfcCid }) => rdfcCid.text))).toHaveLength(types.length);
    });
  });
});

describeTestData('JSON-LD fixtures', () => {
  const folder = ['interop', 'jsonld-fixtures'] as const;
  const fixtures = listTestData(...folder)
    .filter((name) => name.endsWith('.jsonld'))
    .map((name) => name.replace('.jsonld', ''));
  const limits = { workFactor: 3, cpuMs: 5_000 };

  async function quadsOf(name: string) {
    const world = ContextWorld.bundled();
    const context = readTestText(...folder, 'additional-context.context.json');
    world.add(contextDocument('https://example.com/custom-context', context));
    return (await toRdf(readTestJson<object>(...folder, `${name}.jsonld`), world)).quads;
  }

  test.each(fixtures)('%s: the N-Quads', async (name) => {
    const expected = parseNQuads(readTestText(...folder, `${name}.nquads`));
    expect(serializeNQuads(await quadsOf(name))).toBe(serializeNQuads(expected));
  });

  const canonical = fixtures.filter((name) => listTestData(...folder).includes(`${name}.canon.nquads`));
  test.each(canonical)('%s: the canonical N-Quads', async (name) => {
    const expected = readTestText(...folder, `${name}.canon.nquads`);
    expect((await canonicalNQuads(await quadsOf(name), limits)).trimEnd()).toBe(expected.trimEnd());
  });
});

describeTestData('an iroh collection', () => {
  const { iroh_collection: vector } = readTestJson<{ iroh_collection: CollectionVector }>(
    'interop',
    'vectors.json',
  );
  const entries = Object.entries(vector.files).map(([name, text]) => ({
    name,
    cid: cidOf(codecs.raw, text),
  }));

  test('has the published CID', () => {
    expect(Object.fromEntries(entries.map(({ name, cid }) => [name, cid.text]))).toEqual(vector.file_cids);
    const { metadata, root } = encodeCollection(
      entries.map(({ name, cid }) => ({ name, digest: cid.digest })).reverse(),
    );
    expect(Buffer.from(metadata).toString('hex')).toBe(vector.meta_hex);
    expect(cidOf(codecs.hashSequence, root).text).toBe(vector.collection_cid_published);
  });

  test('reads back as names and CIDs', () => {
    const encoded = encodeCollection(entries.map(({ name, cid }) => ({ name, digest: cid.digest })));
    const files = decodeCollection(encoded).map(({ name, digest }) => [
      name,
      makeCid(codecs.raw, digest).text,
    ]);
    expect(Object.fromEntries(files)).toEqual(vector.file_cids);
  });
});

describeTestData('context documents that are named by their content', () => {
  const world = publicWorld();

  test.each(certifiedNames())('%s serves a document', async (name) => {
    const cid = cidIn(name);
    expect(cid && digestHex(cid)).toBe(
      digestHex(cidOf(codecs.raw, readTestBytes('interop', 'contexts', 'cid', name))),
    );
    const document = { '@context': `urn:cid:${name}`, 'http://example.com/p': 'value' };
    const { quads } = await toRdf(document, world);
    expect(quads).toHaveLength(1);
  });

  test('most of them are', () => {
    expect(certifiedNames().length).toBeGreaterThan(20);
  });
});
