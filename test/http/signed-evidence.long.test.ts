import { describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { modelStatement } from '../../src/domain/integrity/evidence/model-signing/signed-model.ts';
import { newKey, type TestKey } from '../builders/keys.ts';
import { sha256, slsaStatement } from '../builders/provenance.ts';
import { postEvidence } from './evidence-samples.ts';
import { exportBytes, newGraph } from './manifest-samples.ts';
import { send } from './service.ts';
import { dsseEnvelope, useTrustingService } from './trusting-service.ts';

const { service, sigstore, key: builder, fileWith } = await useTrustingService();
const registrant = newKey().did;
const payloadType = 'application/vnd.in-toto+json';

function envelope(by: TestKey, keyid: string, statement: object = slsaStatement()) {
  return dsseEnvelope(by, keyid, payloadType, JSON.stringify(statement));
}

/** Imports a file into a graph of its own. */
async function imported(file: unknown, by = registrant) {
  const graph = await newGraph(service);
  const { json } = await postEvidence(service, file, `?graph_id=${graph}&registered_by=${by}`);
  const { runs } = (await send(service, 'GET', `/runs/v1?graph_id=${graph}`)).json;
  return { graph, json, run: runs[0] };
}

/** A bundle as an attestation object of PEP 740. */
function asPypi({ verificationMaterial, dsseEnvelope }: Awaited<ReturnType<typeof sigstore.sign>>) {
  return {
    version: 1,
    verification_material: {
      certificate: verificationMaterial.certificate.rawBytes,
      transparency_entries: verificationMaterial.tlogEntries,
    },
    envelope: { statement: dsseEnvelope.payload, signature: dsseEnvelope.signatures[0].sig },
  };
}

const statementOf = async (id: string) => (await send(service, 'GET', `/statements/v1/id/${id}`)).json;

async function trustOf(id: string) {
  const { json } = await send(
    service,
    'GET',
    `/statements/v1/id/${id.slice('urn:cid:'.length)}/verification`,
  );
  return json.trust.state;
}

describe('an envelope', () => {
  test('of a given key vouches for what follows from it, and for nothing else', async () => {
    const { json, run } = await imported(envelope(builder, 'build'));
    expect(json.signatures).toEqual([{ result: 'ok', signer: builder.did }]);
    expect(run.trust).toEqual({ state: 'signed', by: builder.did, by_registrant: false, valid: true });
    const trusts = await Promise.all(json.statements.map(trustOf));
    // The signer has not signed the statement that this file describes the run.
    expect(trusts.filter((state) => state === 'claimed')).toHaveLength(1);
    const ofOthers = await imported(slsaStatement(), newKey().did);
    expect(ofOthers.run.trust).toEqual({ state: 'claimed' });
  });

  test.each([
    ['of a key that nobody gave is unknown', envelope(newKey(), 'other'), 'unknown'],
    ['of another key than its keyid says fails', envelope(newKey(), 'build'), 'failed'],
    [
      'whose payload was changed fails',
      {
        ...envelope(builder, 'build'),
        payload: envelope(
          builder,
          'build',
          slsaStatement({ subject: [{ name: 'b', digest: { sha512: 'b'.repeat(128) } }] }),
        ).payload,
      },
      'failed',
    ],
  ])('%s, and its run is only claimed', async (_, file, result) => {
    const { json, run } = await imported(file, newKey().did);
    expect(json.signatures).toMatchObject([{ result, reason: expect.any(String) }]);
    expect(run.trust).toEqual({ state: 'claimed' });
  });

  test('vouches offline, too', async () => {
    const by = newKey();
    const { graph, run } = await imported(envelope(by, by.did));
    const manifest = await exportBytes(service, `graph_ids=${graph}&include_context=true`);
    const { statements } = JSON.parse(manifest.toString());
    expect(Object.keys(statements)).toContain(run.id);
    const path = fileWith('manifest.json', JSON.parse(manifest.toString()));
    const { cairn } = await import('../cli/run-cairn.ts');
    const { code, stdout } = await cairn(['verify', path, '--signer', by.did, '--full', '--json']);
    expect(code).toBe(0);
    const said = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(JSON.stringify(said)).toContain(run.id);
  });
});

describe('a Sigstore bundle', () => {
  test.each([
    ['sha256', 'a'.repeat(64)],
    ['sha512', 'b'.repeat(128)],
  ])('about a subject with %s vouches for what follows from it', async (algorithm, digest) => {
    const statement = slsaStatement({ subject: [{ name: 'app', digest: { [algorithm]: digest } }] });
    const { json, run } = await imported(
      await sigstore.sign(JSON.stringify(statement), { type: payloadType }),
    );
    expect(json.signatures).toEqual([{ result: 'ok', signer: 'ada@example.com' }]);
    expect(run.trust).toMatchObject({ state: 'signed', by: 'ada@example.com' });
  });

  test('as PyPI writes it, alone and in a provenance object, vouches for what follows from it', async () => {
    const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), { type: payloadType });
    const attestation = asPypi(bundle);
    const provenance = { version: 1, attestation_bundles: [{ publisher: {}, attestations: [attestation] }] };
    for (const file of [attestation, provenance]) {
      const { json, run } = await imported(file, newKey().did);
      expect([json.kind, json.signatures]).toEqual([
        'attestations',
        [{ result: 'ok', signer: 'ada@example.com' }],
      ]);
      expect(run.trust).toMatchObject({ state: 'signed', by: 'ada@example.com' });
    }
    const other = Buffer.from(JSON.stringify(slsaStatement({ predicateType: 'https://x.example/1' })));
    const envelope = { ...attestation.envelope, statement: other.toString('base64') };
    const { json } = await imported({ ...attestation, envelope });
    expect(json.signatures).toMatchObject([{ result: 'failed' }]);
    const { status, json: refusal } = await postEvidence(service, { ...provenance, version: 2 });
    expect([status, refusal.details[0].pointer]).toEqual([400, '/version']);
  });

  test('with a changed envelope fails', async () => {
    const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), { type: payloadType });
    const other = slsaStatement({ subject: [{ name: 'other', digest: { sha512: 'f'.repeat(128) } }] });
    bundle.dsseEnvelope.payload = Buffer.from(JSON.stringify(other)).toString('base64');
    const { json, run } = await imported(bundle);
    expect(json.signatures).toMatchObject([{ result: 'failed' }]);
    expect(run.trust).toEqual({ state: 'claimed' });
  });

  test.each(['blake3', 'sha2-256'])(
    'of bytes that are stored by %s is checked with these, and otherwise unknown',
    async (hash) => {
      const file = `a file by ${hash}`;
      const bundle = await sigstore.sign(file, { asMessage: true });
      expect((await imported(bundle)).json.signatures).toMatchObject([{ result: 'unknown' }]);
      await service.app.request(`/store/v1/blob?multihash=${hash}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/octet-stream', host: 'localhost' },
        body: file,
      });
      const { json } = await imported(bundle, newKey().did);
      expect(json.signatures).toMatchObject([{ result: 'ok', signer: 'ada@example.com' }]);
    },
  );

  test.each([
    ['with two contents', (bundle: object) => ({ ...bundle, messageSignature: { signature: 'YQ==' } }), ''],
    [
      'with two signatures',
      (bundle: { dsseEnvelope: { signatures: object[] } }) => {
        const { dsseEnvelope } = bundle;
        const signatures = [...dsseEnvelope.signatures, ...dsseEnvelope.signatures];
        return { ...bundle, dsseEnvelope: { ...dsseEnvelope, signatures } };
      },
      '/dsseEnvelope/signatures',
    ],
    [
      'without a certificate or key',
      (bundle: object) => ({ ...bundle, verificationMaterial: {} }),
      '/verificationMaterial',
    ],
    [
      'with an empty certificate',
      (bundle: object) => ({ ...bundle, verificationMaterial: { certificate: { rawBytes: '' } } }),
      '/verificationMaterial/certificate/rawBytes',
    ],
    [
      'of v0.3 with a chain of certificates',
      (bundle: object) => ({
        ...bundle,
        mediaType: 'application/vnd.dev.sigstore.bundle.v0.3+json',
        verificationMaterial: { x509CertificateChain: { certificates: [{ rawBytes: 'AAAA' }] } },
      }),
      '/verificationMaterial/x509CertificateChain',
    ],
    [
      'of bytes with a digest that is too short',
      (bundle: object) => ({
        ...bundle,
        dsseEnvelope: undefined,
        messageSignature: { messageDigest: { algorithm: 'SHA2_256', digest: 'AAAA' }, signature: 'AAAA' },
      }),
      '/messageSignature/messageDigest',
    ],
    [
      'of another version',
      (bundle: object) => ({ ...bundle, mediaType: 'application/vnd.dev.sigstore.bundle.v9+json' }),
      '/mediaType',
    ],
  ])('%s is refused', async (_, change, pointer) => {
    const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), { type: payloadType });
    const { status, json } = await postEvidence(service, change(bundle));
    expect([status, json.code, json.details?.[0]?.pointer ?? '']).toEqual([400, 'invalid_evidence', pointer]);
  });
});

describe('a signed file that says something else beside what is signed', () => {
  const forged = slsaStatement({
    subject: [{ name: 'forged', digest: { sha256: sha256('e') } }],
    predicateType: 'https://example.com/approval',
    predicate: { approved: true },
  });

  /** Imports what nobody has signed, and registers a genuine signature for it. */
  async function registered(carried: object) {
    const by = newKey().did;
    const { graph, json } = await imported(envelope(newKey(), 'nobody', forged), by);
    const [one] = json.statements;
    const { timestamp } = await statementOf(one);
    const statement = {
      '@context': ownContextUrl,
      '@type': 'CredentialRegistration',
      registeredBy: by,
      timestamp,
      ...carried,
    };
    const body = { statement, generate_id: true, graph_id: graph };
    const answer = await send(service, 'PUT', '/statements/v1', body);
    expect(answer.status, answer.text).toBe(201);
    return await Promise.all(json.statements.map(trustOf));
  }

  const model = modelStatement({
    name: 'model',
    resources: new Map([
      ['a', sha256('a')],
      ['b', sha256('b')],
    ]),
    serialization: { hash: 'sha256', shardSize: null, allowSymlinks: false, ignorePaths: [] },
  });

  test.each([
    ['build', slsaStatement()],
    ['model', model],
  ])('vouches for nothing of an envelope beside that of a %s', async (_, said) => {
    const bundle = await sigstore.sign(JSON.stringify(said), { type: payloadType });
    const { json } = await imported(bundle, newKey().did);
    expect(json.signatures).toEqual([{ result: 'ok', signer: 'ada@example.com' }]);
    const all = await Promise.all(json.statements.map(statementOf));
    const { subject } = all.find(({ sigstoreBundle }) => sigstoreBundle);
    const both = { ...bundle, ...envelope(newKey(), 'nobody', forged), attestations: [{ bundle }] };
    const sigstoreBundle = Buffer.from(JSON.stringify(both)).toString('base64');
    const trusts = await registered({ subject, sigstoreBundle });
    expect(new Set(trusts)).toEqual(new Set(['claimed']));
  });

  test('is checked with a byte order mark as without', async () => {
    const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), { type: payloadType });
    const { json } = await imported(bundle, newKey().did);
    const all = await Promise.all(json.statements.map(statementOf));
    const { '@id': _, ...carrier } = all.find(({ sigstoreBundle }) => sigstoreBundle);
    const sigstoreBundle = Buffer.from(`\ufeff${JSON.stringify(bundle)}`).toString('base64');
    const body = { statement: { ...carrier, sigstoreBundle }, generate_id: true };
    const { status, json: stored } = await send(service, 'PUT', '/statements/v1', body);
    expect([status, await trustOf(`urn:cid:${stored.rdfc_cid}`)]).toEqual([201, 'signed']);
  });
});

describe('an envelope with the certificate of its signer', () => {
  async function withCertificate(change = '') {
    const bundle = await sigstore.sign(JSON.stringify(slsaStatement()), { type: payloadType });
    const { payload, signatures } = bundle.dsseEnvelope;
    const { certificate, x509CertificateChain: chain } = bundle.verificationMaterial;
    const der = (certificate ?? chain.certificates[0]).rawBytes.match(/.{1,64}/g).join('\n');
    const cert = `-----BEGIN CERTIFICATE-----\n${der}\n-----END CERTIFICATE-----\n`;
    const text = Buffer.from(payload, 'base64').toString() + change;
    const changed = Buffer.from(text).toString('base64');
    return { payloadType, payload: changed, signatures: [{ ...signatures[0], cert }] };
  }

  test('is unknown, because nothing says when it was made', async () => {
    const { json, run } = await imported(await withCertificate(), newKey().did);
    expect(json.kind).toBe('dsse');
    expect(json.signatures).toMatchObject([
      { result: 'unknown', reason: expect.stringMatching(/ada@example\.com.*transparency log/) },
    ]);
    expect(run.trust).toEqual({ state: 'claimed' });
  });

  test('fails if its payload was changed', async () => {
    const { json, run } = await imported(await withCertificate(' '), newKey().did);
    expect(json.signatures).toMatchObject([{ result: 'failed' }]);
    expect(run.trust).toEqual({ state: 'claimed' });
  });
});
