import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { describeTestData, testDataPath } from '../test-data.ts';
import { cairn, temporaryFolder } from './run-cairn.ts';

interface Result {
  readonly verified: boolean;
  readonly signer: string;
  readonly files: number;
  readonly changed: string[];
  readonly added: string[];
  readonly missing: string[];
}

const verify = (...args: string[]) => cairn(['model', 'verify', ...args]);
const sign = (...args: string[]) => cairn(['model', 'sign', ...args]);

/** A model of three files, beside a key and its certificates. */
function newModel() {
  const folder = temporaryFolder();
  onTestFinished(() => folder[Symbol.dispose]());
  const at = (...path: string[]) => join(folder.path, ...path);
  mkdirSync(at('model/layers'), { recursive: true });
  writeFileSync(at('model/config.json'), '{}');
  writeFileSync(at('model/layers/0'), 'weights');
  writeFileSync(at('model/empty'), '');
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
  writeFileSync(at('key.pem'), privateKey.export({ format: 'pem', type: 'pkcs8' }));
  writeFileSync(at('key.pub'), publicKey.export({ format: 'pem', type: 'spki' }));
  const signed = (...args: string[]) =>
    sign(at('model'), '--signature', at('model.sig'), '--private-key', at('key.pem'), ...args);
  const verified = (...args: string[]) =>
    verify(at('model'), '--signature', at('model.sig'), '--public-key', at('key.pub'), ...args);
  const changes = async (...args: string[]): Promise<Result> =>
    JSON.parse((await verified('--json', ...args)).stdout);
  return { at, signed, verified, changes };
}

describeTestData('signatures of the reference implementation hold', () => {
  const vectors = (...path: string[]) => testDataPath('interop/evidence/model-signing/vectors', ...path);
  /** That of the public instance of Sigstore. */
  const trustedRoot = join(import.meta.dirname, 'sigstore-trusted-root.json');
  const ways = {
    'elliptic-key': ['--public-key', vectors('keys/signing-key-pub.pem')],
    certificate: ['--certificate-chain', vectors('keys/ca-cert.pem')],
    sigstore: [
      ...['--identity', 'stefanb@us.ibm.com', '--trusted-root', trustedRoot],
      ...['--identity-provider', 'https://sigstore.verify.ibm.com/oauth2'],
    ],
  };
  const cases = ['v0.3.1', 'v1.0.0', 'v1.0.1'].flatMap((version) =>
    Object.entries(ways).map(([way, trust]) => [version, way, trust] as const),
  );
  /** Earlier versions signed one file with a key. */
  const modelOf = (version: string, way: string) =>
    way === 'elliptic-key' && version !== 'v1.0.1'
      ? [`${version}-${way}`, 'signme-1']
      : [`${version}-${way}`];
  const verifyVector = (version: string, way: string, model: string, trust: readonly string[]) =>
    verify(
      ...[model, '--signature', vectors(`${version}-${way}`, 'model.sig'), '--json', ...trust],
      ...['--ignore-paths', join(model, 'ignore-me')],
    );

  test.each(cases)('of %s with %s', async (version, way, trust) => {
    const run = await verifyVector(version, way, vectors(...modelOf(version, way)), trust);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(run.stdout)).toMatchObject({ verified: true, changed: [], added: [], missing: [] });
  });

  test.each(cases)('and a changed file of %s with %s is named', async (version, way, trust) => {
    using folder = temporaryFolder();
    const model = join(folder.path, 'signme-1');
    for (const name of ['signme-1', 'signme-2']) writeFileSync(join(folder.path, name), 'something else');
    const isOneFile = modelOf(version, way).length === 2;
    const { code, stdout } = await verifyVector(version, way, isOneFile ? model : folder.path, trust);
    const { changed } = JSON.parse(stdout);
    expect({ code, changed }).toEqual({ code: 1, changed: isOneFile ? ['.'] : ['signme-1', 'signme-2'] });
  });

  test.each(cases)('but not of %s with %s for another signer', async (version, way) => {
    using folder = temporaryFolder();
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' });
    const key = join(folder.path, 'other.pub');
    writeFileSync(key, publicKey.export({ format: 'pem', type: 'spki' }));
    const others = {
      'elliptic-key': ['--public-key', key],
      certificate: ['--certificate-chain', vectors('keys/int-ca-cert.pem')],
      sigstore: ways.sigstore.with(1, 'eve@us.ibm.com'),
    };
    const other = others[way as keyof typeof others];
    const run = await verifyVector(version, way, vectors(...modelOf(version, way)), other);
    expect(run).toMatchObject({ code: 1, stdout: '' });
    expect(run.stderr).toMatch(/is not by the key|None of the trusted certificates is a root|not by eve@us/);
  });

  const specified = (...path: string[]) =>
    testDataPath('interop/evidence/model-signing/spec/test-vectors/v1.0', ...path);

  test.each([
    ['invalid/empty', 'is no model signature'],
    ['invalid/missing-envelope', 'dsseEnvelope is missing'],
    ['invalid/missing-tlog-entries', 'must have an entry of a transparency log'],
    ['invalid/missing-verification-material', 'verificationMaterial is missing'],
    ['invalid-payload/wrong-predicate', 'predicateType must be "https://model_signing/signature/v1.0"'],
  ])('and %s of the specification is refused: %s', async (name, reason) => {
    const { code, stderr } = await verify(
      ...[vectors('v1.0.1-elliptic-key'), '--signature', specified(`${name}.bundle.json`)],
      ...['--public-key', vectors('keys/signing-key-pub.pem')],
    );
    expect(code).toBe(1);
    expect(stderr).toContain(reason);
  });

  test.each([
    ['key', 'elliptic-key'],
    ['certificate', 'elliptic-key'],
    ['sigstore', 'sigstore'],
  ] as const)('and the one with a %s of the specification, too', async (name, files) => {
    const model = vectors(`v1.0.1-${files}`);
    const trust = ways[name === 'key' ? 'elliptic-key' : name];
    const others = [join(model, 'ignore-me'), join(model, 'model.sig')];
    const run = await verify(
      ...[model, '--signature', specified(`valid/${name}.bundle.json`), ...trust],
      ...others.flatMap((path) => ['--ignore-paths', path]),
    );
    expect(run).toMatchObject({ code: 0, stdout: expect.stringMatching(/^2 files as signed/) });
  });
});

describe('a signed model', () => {
  test('verifies, also with the signature inside, and leaves out the files of git', async () => {
    const { at, signed, verified } = newModel();
    mkdirSync(at('model/.git'));
    writeFileSync(at('model/.git/HEAD'), 'ref');
    expect(await signed('--signature', at('model/model.sig'))).toMatchObject({
      code: 0,
      stdout: `Signed 3 files in ${at('model/model.sig')}\n`,
    });
    writeFileSync(at('model/.git/HEAD'), 'other');
    copyFileSync(at('model/model.sig'), at('model.sig'));
    expect(await verified()).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^3 files as signed by did:key:z82/),
    });
  });

  test('names each file that was changed, added or removed', async () => {
    const { at, signed, verified, changes } = newModel();
    await signed();
    writeFileSync(at('model/layers/0'), 'poisoned');
    writeFileSync(at('model/layers/1'), 'more');
    rmSync(at('model/empty'));
    expect(await changes()).toMatchObject({
      ...{ verified: false, files: 1 },
      ...{ changed: ['layers/0'], added: ['layers/1'], missing: ['empty'] },
    });
    const { code, stdout } = await verified();
    expect({ code, stdout }).toEqual({
      code: 1,
      stdout: 'changed  layers/0\nadded    layers/1\nmissing  empty\n',
    });
    expect(await changes('--ignore-unsigned-files')).toMatchObject({ added: [], missing: ['empty'] });
  });

  test('can leave out paths, which are written into the signature', async () => {
    const { at, signed, changes } = newModel();
    await signed('--ignore-paths', at('model/layers'), '--ignore-paths', 'empty');
    writeFileSync(at('model/layers/0'), 'trained further');
    expect(await changes()).toMatchObject({ verified: true, files: 1 });
    writeFileSync(at('model/layers-2'), 'not left out');
    expect(await changes()).toMatchObject({ added: ['layers-2'] });
  });

  test('is hashed on all processors if it is large', async () => {
    const { at, signed, changes } = newModel();
    for (const name of ['a', 'b']) {
      writeFileSync(at('model', name), name);
      truncateSync(at('model', name), 20 << 20);
    }
    await signed();
    expect(await changes()).toMatchObject({ verified: true, files: 5 });
    writeFileSync(at('model/b'), 'c', { flag: 'r+' });
    expect(await changes()).toMatchObject({ changed: ['b'], files: 4 });
  });

  test('follows links to files only where that was asked for, and never to folders', async () => {
    const { at, signed, changes } = newModel();
    writeFileSync(at('outside'), 'elsewhere');
    symlinkSync('../outside', at('model/linked'));
    expect(await signed()).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('linked is a link, so it cannot be signed'),
    });
    const allowed = await signed('--allow-symlinks');
    expect(allowed).toMatchObject({ code: 0, stderr: 'linked is a link that leads out of the model.\n' });
    expect(await changes()).toMatchObject({ verified: true, files: 4 });
    writeFileSync(at('outside'), 'changed elsewhere');
    symlinkSync('../..', at('model/loop'));
    expect(await changes()).toMatchObject({ changed: ['linked'], added: ['loop (a link to a folder)'] });
  });

  test('has no pipe, which would never end', async () => {
    const { at, signed, changes } = newModel();
    await signed();
    execFileSync('mkfifo', [at('model/pipe')]);
    expect(await changes()).toMatchObject({ added: ['pipe (neither a file nor a folder)'] });
    expect(await signed()).toMatchObject({ code: 2 });
  });

  test('is signed with a key of this program, and verified with its did:key', async () => {
    const { at, signed } = newModel();
    const { stdout } = await cairn(['key', 'create', at('own.json'), '--p256']);
    await signed('--private-key', at('own.json'));
    const run = await verify(at('model'), '--signature', at('model.sig'), '--public-key', stdout.trim());
    expect(run).toMatchObject({ code: 0, stdout: `3 files as signed by ${stdout}` });
    await cairn(['key', 'create', at('edwards.json')]);
    expect(await signed('--private-key', at('edwards.json'))).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('cairn key create --p256'),
    });
  });

  test('needs the password of an encrypted key', async () => {
    const { at, signed } = newModel();
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const secret = { format: 'pem', type: 'pkcs8', cipher: 'aes-256-cbc', passphrase: 'secret' } as const;
    writeFileSync(at('key.pem'), privateKey.export(secret));
    writeFileSync(at('password'), 'secret\n');
    expect(await signed()).toMatchObject({ code: 2, stderr: expect.stringContaining('--password-file') });
    expect(await signed('--password-file', at('password'))).toMatchObject({ code: 0 });
  });
});

describe('a certificate counts', () => {
  /** Makes certificates with openssl, the root first. */
  function withCertificates(of: { leaf?: string; intermediate?: string; days?: string } = {}) {
    const model = newModel();
    const { at } = model;
    const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: at(), stdio: 'pipe' });
    const {
      leaf = 'keyUsage=critical,digitalSignature',
      intermediate = 'basicConstraints=critical,CA:TRUE',
      days = '10',
    } = of;
    const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
    openssl('req', '-x509', ...ec, '-keyout', 'ca.key', '-out', 'ca.pem', '-days', '10', '-subj', '/CN=root');
    const issue = (name: string, by: string, extension: string, key: readonly string[]) => {
      openssl('req', ...key, '-subj', `/CN=${name}`, '-out', `${name}.csr`);
      writeFileSync(at(`${name}.ext`), extension);
      const by509 = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial', '-days', days];
      openssl(
        'x509',
        '-req',
        '-in',
        `${name}.csr`,
        ...by509,
        '-extfile',
        `${name}.ext`,
        '-out',
        `${name}.pem`,
      );
    };
    issue('middle', 'ca', intermediate, [...ec, '-keyout', 'middle.key']);
    issue('leaf', 'middle', leaf, ['-new', '-key', 'key.pem']);
    const signed = () =>
      model.signed('--signing-certificate', at('leaf.pem'), '--certificate-chain', at('middle.pem'));
    const verified = (root = 'ca.pem') =>
      verify(at('model'), '--signature', at('model.sig'), '--certificate-chain', at(root));
    return { ...model, signed, verified };
  }

  test('if a valid chain leads to a trusted root', async () => {
    const { at, signed, verified } = withCertificates();
    expect(await signed()).toMatchObject({ code: 0 });
    expect(await verified()).toMatchObject({ code: 0, stdout: '3 files as signed by CN=leaf\n' });
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-keyout',
        at('o.key'),
        '-out',
        at('o.pem'),
        '-subj',
        '/CN=root',
      ],
      { stdio: 'pipe' },
    );
    expect(await verified('o.pem')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('No valid chain'),
    });
    expect(await verified('middle.pem')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is a root'),
    });
  });

  test.each([
    ['may not sign', { leaf: 'keyUsage=critical,keyAgreement' }, 'may not sign'],
    ['is over', { days: '0' }, 'it is not valid now'],
    [
      'demands an unknown extension',
      { leaf: 'keyUsage=digitalSignature\n1.2.3.4=critical,ASN1:NULL' },
      'unknown extension 1.2.3.4',
    ],
    [
      'is issued by somebody who is no authority',
      { intermediate: 'basicConstraints=CA:FALSE' },
      'No valid chain',
    ],
    [
      'is issued by somebody who may not issue',
      { intermediate: 'basicConstraints=CA:TRUE\nkeyUsage=critical,cRLSign' },
      'No valid chain',
    ],
  ])('but not one that %s', async (_, of, reason) => {
    const { signed, verified } = withCertificates(of);
    expect(await signed()).toMatchObject({ code: 0 });
    expect(await verified()).toMatchObject({ code: 1, stderr: expect.stringContaining(reason) });
  });

  test('and belongs to the key', async () => {
    const { at, signed } = withCertificates();
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
    writeFileSync(at('key.pem'), other.export({ format: 'pem', type: 'pkcs8' }));
    expect(await signed()).toMatchObject({ code: 2, stderr: expect.stringContaining('another key') });
  });
});

test('a signature by version 0.2 of the reference implementation holds', async () => {
  using folder = temporaryFolder();
  const at = (name: string) => join(folder.path, name);
  const { key, bundle } = JSON.parse(
    readFileSync(join(import.meta.dirname, 'model-signing-0.2.json'), 'utf8'),
  );
  const files = {
    'key.pub': key,
    'model.sig': JSON.stringify(bundle),
    weights: 'weights',
    'config.json': '{}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(at(name), text);
  const verified = () =>
    verify(
      ...[folder.path, '--signature', at('model.sig'), '--public-key', at('key.pub')],
      ...['--ignore-paths', at('key.pub')],
    );
  expect(await verified()).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 files as signed by'),
  });
  writeFileSync(at('weights'), 'poison');
  expect(await verified()).toMatchObject({ code: 1, stdout: 'changed  weights\n' });
});

describe('a signature is refused', () => {
  // biome-ignore lint/suspicious/noExplicitAny: tests change any part of it
  type Json = any;

  /** Changes the bundle, and with it the payload if that is asked for. */
  async function changed(change: (bundle: Json, payload: Json) => unknown) {
    const model = newModel();
    await model.signed();
    const file = model.at('model.sig');
    const bundle = JSON.parse(readFileSync(file, 'utf8'));
    const payload = JSON.parse(Buffer.from(bundle.dsseEnvelope.payload, 'base64').toString());
    const before = JSON.stringify(payload);
    change(bundle, payload);
    if (JSON.stringify(payload) !== before)
      bundle.dsseEnvelope.payload = Buffer.from(JSON.stringify(payload)).toString('base64');
    writeFileSync(file, JSON.stringify(bundle));
    return await model.verified();
  }

  test.each<[string, (bundle: Json, payload: Json) => unknown, RegExp]>([
    [
      'a changed digest',
      (_, { predicate }) => Object.assign(predicate.resources[0], { digest: 'ab'.repeat(32) }),
      /the digests of the resources give/,
    ],
    ['a changed name', (_, { subject }) => Object.assign(subject[0], { name: 'other' }), /not by the key/],
    [
      'a path out of the model',
      (_, { predicate }) => Object.assign(predicate.resources[0], { name: '../key.pem' }),
      /not a path within/,
    ],
    [
      'an absolute path',
      (_, { predicate }) => Object.assign(predicate.resources[0], { name: '/etc/passwd' }),
      /not a path within/,
    ],
    [
      'a file twice',
      (_, { predicate }) => Object.assign(predicate.resources[1], { name: predicate.resources[0].name }),
      /repeats/,
    ],
    [
      'a short digest',
      (_, { predicate }) => Object.assign(predicate.resources[0], { digest: 'ab' }),
      /has 2 digits; sha256 has 64/,
    ],
    [
      'another hash',
      (_, { predicate }) => Object.assign(predicate.resources[0], { algorithm: 'blake3' }),
      /hash_type is "sha256"/,
    ],
    [
      'an unknown hash',
      (_, { predicate }) => Object.assign(predicate.serialization, { hash_type: 'md5' }),
      /hash_type must be/,
    ],
    [
      'shards without a size',
      (_, { predicate }) => Object.assign(predicate.serialization, { method: 'shards' }),
      /shard_size/,
    ],
    ['no files', (_, { predicate }) => Object.assign(predicate, { resources: [] }), /must name a file/],
    ['two models', (_, { subject }) => subject.push(subject[0]), /subject/],
    [
      'two signatures',
      ({ dsseEnvelope }) => dsseEnvelope.signatures.push(dsseEnvelope.signatures[0]),
      /signatures must have one signature/,
    ],
    [
      'an unknown version',
      (bundle) => Object.assign(bundle, { mediaType: 'application/vnd.dev.sigstore.bundle+json;version=9' }),
      /mediaType must be/,
    ],
    [
      'a key and a certificate',
      ({ verificationMaterial: one }) => Object.assign(one, { certificate: { rawBytes: 'AAAA' } }),
      /must have one of publicKey/,
    ],
    [
      'a payload that is no JSON',
      ({ dsseEnvelope }) => Object.assign(dsseEnvelope, { payload: 'AAAA' }),
      /payload is not JSON/,
    ],
  ])('with %s', async (_, change, reason) => {
    const { code, stderr } = await changed(change);
    expect(stderr).toMatch(reason);
    expect(code).toBe(1);
  });

  test('with two envelopes', async () => {
    const { at, signed, verified } = newModel();
    await signed();
    const text = readFileSync(at('model.sig'), 'utf8');
    writeFileSync(at('model.sig'), text.replace('"dsseEnvelope":', '"dsseEnvelope":{},"dsseEnvelope":'));
    expect(await verified()).toMatchObject({ code: 1, stderr: expect.stringContaining('dsseEnvelope') });
  });

  test('unless the user says whom they trust, in one way', async () => {
    const { at, signed } = newModel();
    await signed();
    const files = [at('model'), '--signature', at('model.sig')];
    expect(await verify(...files)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('whom you trust'),
    });
    expect(await verify(...files, '--public-key', 'did:key:zDnaeZZZ')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('did:key:zDnaeZZZ is no did:key of a public key.'),
    });
    const both = ['--public-key', at('key.pub'), '--certificate-chain', at('key.pub')];
    expect(await verify(...files, ...both)).toMatchObject({ code: 2 });
    expect(await verify(...files, '--identity', 'ada@example.com')).toMatchObject({ code: 2 });
  });
});
