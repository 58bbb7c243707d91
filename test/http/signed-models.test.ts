import { generateKeyPairSync } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hashFolder } from '../../src/cli/client/hash-folder.ts';
import { didOfKey } from '../../src/cli/model/keys.ts';
import { signModel } from '../../src/cli/model/sign-model.ts';
import { cidUrn } from '../../src/domain/integrity/identifiers/cid.ts';
import { usePool } from '../builders/statement-pool.ts';
import { ownStatement, statement } from '../builders/statements.ts';
import { verifiedManifest } from '../builders/verified-manifest.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { describeTestData, readTestBytes, readTestJson } from '../test-data.ts';
import { postEvidence } from './evidence-samples.ts';
import {
  carType,
  everything,
  exportBytes,
  importBytes,
  newGraph,
  putStatements,
} from './manifest-samples.ts';
import { type Asked, putBlob, send, useService } from './service.ts';

const service = useService();
/** An empty one. */
const other = useService();
const pool = usePool();
const post = (file: unknown, query?: string) => postEvidence(service, file, query);

/** The statement that carries the signature, among others. */
async function carrierAmong(ids: readonly string[], at: Asked = service) {
  for (const id of ids) {
    const { json } = await send(at, 'GET', `/statements/v1/id/${id}`);
    if (json['@type'] !== 'CredentialRegistration' || !json.sigstoreBundle) continue;
    const { json: found } = await send(at, 'GET', `/statements/v1/id/${id}/verification`);
    return { subject: json.subject, signatures: found.signatures, trust: found.trust };
  }
  throw new Error('There is no statement with a bundle.');
}

/** A model of two files, signed with a key, in which the model has the files that are named. */
async function signedFolder(files: Readonly<Record<string, string>>, ignored: readonly string[] = []) {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const root = join(folder.path, 'model');
  mkdirSync(root);
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, name), text);
  const { privateKey: key } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const signing = { root, ignored, allowSymlinks: false, key, certificates: [] };
  const { bundle } = await signModel(signing, () => undefined);
  return { root, bundle, signer: didOfKey(key) };
}

/** Stores the files of a folder and their collection, with a statement about it. */
async function recordFolder(root: string): Promise<string> {
  const quiet = { onBytes: () => undefined, onSkipped: () => undefined };
  const { blobs, collection } = await hashFolder(root, quiet);
  for (const { cid, bytes } of blobs)
    await putBlob(service, await buffer(Readable.from(bytes())), `?multicodec_code=${cid.codec}`);
  await putStatements(service, undefined, [statement('DataRegistration', { data: cidUrn(collection) })]);
  return cidUrn(collection);
}

describe('a signed model', () => {
  test('is the recorded folder with its files, which its key has signed', async () => {
    const { root, bundle, signer } = await signedFolder({ a: 'weights 1', b: 'weights 2' });
    const folder = await recordFolder(root);
    const { status, json } = await post(bundle, `?registered_by=${signer}`);
    expect([status, json.kind]).toEqual([201, 'model-signing']);
    expect(await carrierAmong(json.statements)).toMatchObject({
      subject: folder,
      signatures: [{ result: 'ok', signer }],
      trust: { state: 'signed', by: signer },
    });
    expect((await post(bundle, `?registered_by=${signer}`)).status).toBe(200);
  });

  test('is the recorded folder also while its large files wait to be hashed', async () => {
    const { root, bundle, signer } = await signedFolder({ l: 'weights '.repeat(100_000), m: 'more' });
    const folder = await recordFolder(root);
    const graph = await newGraph(service);
    const { json } = await post(bundle, `?graph_id=${graph}`);
    const about = { subject: folder, signatures: [{ result: 'ok', signer }] };
    expect(await carrierAmong(json.statements)).toMatchObject(about);
    const exported = await exportBytes(service, `graph_ids=${graph}&${everything}`);
    expect((await importBytes(other, exported, `graph_id=${graph}`)).status).toBe(201);
    expect(await carrierAmong(json.statements, other)).toMatchObject(about);
  });

  test('is a folder that also has paths which were left out', async () => {
    const { root, bundle } = await signedFolder({ c: 'weights 3', notes: 'of today' }, ['notes']);
    const folder = await recordFolder(root);
    const { json } = await post(bundle);
    expect(await carrierAmong(json.statements)).toMatchObject({
      subject: folder,
      signatures: [{ result: 'ok' }],
    });
  });

  test('that nobody has recorded is a reference that includes its files', async () => {
    const { bundle, signer } = await signedFolder({ d: 'weights 4', e: 'weights 5' });
    const { json } = await post(bundle, `?registered_by=${signer}`);
    const { subject, trust } = await carrierAmong(json.statements);
    expect(trust).toMatchObject({ state: 'signed', by: signer });
    const { nodes } = (await send(service, 'GET', `/lineage/v1/${subject}`)).json;
    expect(nodes.map(({ name }: { name?: string }) => name)).toEqual(
      expect.arrayContaining(['model', 'd', 'e']),
    );
  });

  test('proves nothing about a folder with another file', async () => {
    const { root, bundle, signer } = await signedFolder({ f: 'weights 6', g: 'weights 7' });
    writeFileSync(join(root, 'g'), 'poisoned');
    const changed = await recordFolder(root);
    writeFileSync(join(root, 'g'), 'weights 7');
    writeFileSync(join(root, 'h'), 'added');
    const added = await recordFolder(root);
    for (const subject of [changed, added]) {
      const sigstoreBundle = Buffer.from(JSON.stringify(bundle)).toString('base64');
      const about = { subject, sigstoreBundle, registeredBy: signer };
      const ids = await putStatements(service, undefined, [ownStatement('CredentialRegistration', about)]);
      expect(await carrierAmong(ids)).toMatchObject({
        signatures: [{ result: 'failed', reason: expect.stringContaining('something else') }],
        trust: { state: 'claimed' },
      });
    }
  });

  test.each(['json', 'car'] as const)('is signed offline too, if its files are there: %s', async (form) => {
    const { root, bundle, signer } = await signedFolder({ j: `weights of ${form}`, k: 'more' });
    await recordFolder(root);
    const graph = await newGraph(service);
    await post(bundle, `?registered_by=${signer}&graph_id=${graph}`);
    const signersOf = async (content: string) => {
      const query = `graph_ids=${graph}&include_context=true&${content}`;
      const bytes = await exportBytes(service, query, form === 'car' ? carType : undefined);
      const { findings } = await verifiedManifest(pool, bytes, form);
      const signed = findings.flatMap((one) =>
        one.kind === 'trust' && one.trust.state === 'signed' ? [one] : [],
      );
      return signed.map(({ trust }) => trust.by);
    };
    expect(await signersOf('include_blobs=true')).toContain(signer);
    expect(await signersOf('include_blobs=false')).not.toContain(signer);
  });

  test('with a key that nobody has given proves nothing', async () => {
    const { bundle, signer } = await signedFolder({ i: 'weights 8' });
    const { dsseEnvelope } = bundle as { dsseEnvelope: { signatures: [{ keyid: string }] } };
    dsseEnvelope.signatures[0].keyid = '';
    const { json } = await post(bundle, `?registered_by=${signer}`);
    expect(await carrierAmong(json.statements)).toMatchObject({
      signatures: [{ result: 'unknown' }],
      trust: { state: 'claimed' },
    });
  });
});

describeTestData('signed models of others', () => {
  const vectors = 'interop/evidence/model-signing/vectors';
  const specified = 'interop/evidence/model-signing/spec/test-vectors/v1.0';
  const signed = ['v0.3.1', 'v1.0.0', 'v1.0.1'].flatMap((version) =>
    ['elliptic-key', 'certificate', 'sigstore'].map((way) => `${vectors}/${version}-${way}/model.sig`),
  );
  const valid = ['key', 'certificate', 'sigstore'].map((way) => `${specified}/valid/${way}.bundle.json`);

  test.each([...signed, ...valid])('%s is taken, and nobody here can tell who signed it', async (path) => {
    const { status, json } = await post(readTestBytes(path));
    expect([status, json.kind], JSON.stringify(json)).toEqual([expect.any(Number), 'model-signing']);
    expect(await carrierAmong(json.statements)).toMatchObject({ signatures: [{ result: 'unknown' }] });
  });

  test.each([
    ['invalid/empty', 'invalid_json'],
    ['invalid/missing-envelope', 'invalid_evidence'],
    ['invalid/missing-tlog-entries', 'invalid_evidence'],
    ['invalid/missing-verification-material', 'invalid_evidence'],
    ['invalid-payload/wrong-predicate', 'invalid_evidence'],
  ])('%s is refused', async (name, code) => {
    const { status, json } = await post(readTestBytes(specified, `${name}.bundle.json`));
    expect([status, json.code]).toEqual([400, code]);
  });

  test('one in a manifest of the public SDK is signed by its key', async () => {
    const manifest = readTestJson<{ statements: Record<string, { sigstoreBundle?: string }> }>(
      'interop/sdk/full-p256.json',
    );
    const { status } = await importBytes(service, manifest, `graph_id=${crypto.randomUUID()}`);
    expect(status).toBe(201);
    const [id = ''] = Object.entries(manifest.statements).find(([, one]) => one.sigstoreBundle) ?? [];
    const signer = 'did:key:zDnaewMvo2nTa3mE2nZCshS1jSKpHCWPxR55wsQjYKopcaV99';
    expect(await carrierAmong([id])).toMatchObject({
      signatures: expect.arrayContaining([
        expect.objectContaining({ kind: 'sigstore', result: 'ok', signer }),
      ]),
      trust: { state: 'signed', by: signer },
    });
  });
});
