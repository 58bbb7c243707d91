import { generateKeyPairSync, sign, verify } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { ContextRegistry } from '../src/domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../src/domain/integrity/contexts/world.ts';
import { verifyCredentialProof } from '../src/domain/integrity/credentials/signed-claims.ts';
import { StatementIdentifier } from '../src/domain/integrity/identification/identify.ts';
import { sha256Digest } from '../src/domain/integrity/identifiers/hashing.ts';
import { addProofs, type ProofPorts } from '../src/domain/integrity/proofs/data-integrity.ts';
import { preAuthenticationEncoding, verifyDsse } from '../src/domain/integrity/proofs/dsse.ts';
import type { Canonicalizer } from '../src/domain/integrity/proofs/proof.ts';
import { openSigner, writeNewKey } from '../src/platform/key-file-signer.ts';
import { StatementPool } from '../workers/statement-pool.ts';
import { type Row, rate, report } from './measure.ts';

// Proofs made and checked per second, compared with plain Ed25519 over 64 bytes, which is what the suites sign.

const count = 2_000;
/** Credentials are signed in parts, as those of a batch of statements are. */
const part = 250;
const atOnce = 32;
const created = new Date('2026-01-31T12:00:00Z');

/** What `issue_vc` signs for a statement. */
function small(index: number): object {
  const id = `urn:uuid:00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
  return {
    '@context': ['https://www.w3.org/ns/credentials/v2'],
    id,
    type: ['VerifiableCredential'],
    issuer: 'did:key:z6MkrJVnaZkeFzdQyMZu1cgjg7k1pZZ6pvBQ7XJPt4swbTQ2',
    validFrom: '2026-01-31T12:00:00Z',
    credentialSubject: { id: 'urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu' },
  };
}

function withStatus(index: number): object {
  return {
    ...small(index),
    credentialStatus: ['revocation', 'suspension'].map((statusPurpose) => ({
      id: `https://cairn.example/credentials/v1/status-lists/1#${statusPurpose}-${index}`,
      type: 'BitstringStatusListEntry',
      statusPurpose,
      statusListIndex: String(index),
      statusListCredential: 'https://cairn.example/credentials/v1/status-lists/1',
    })),
  };
}

const { privateKey, publicKey } = generateKeyPairSync('ed25519');
const hashes = Buffer.alloc(64, 7);
const signature = sign(null, hashes, privateKey);
const repeat = (work: () => unknown) => {
  for (let round = 0; round < count; round += 1) work();
};
const plainSign = await rate(count, () => repeat(() => sign(null, hashes, privateKey)));
const plainVerify = await rate(count, () => repeat(() => verify(null, hashes, publicKey, signature)));

async function compare(
  where: string,
  make: (index: number) => object,
  ports: ProofPorts & { readonly identifier: Canonicalizer },
  cryptosuite: 'eddsa-rdfc-2022' | 'eddsa-jcs-2022' = 'eddsa-rdfc-2022',
) {
  const documents = Array.from({ length: count }, (_, index) => make(index));
  const parts = Array.from({ length: count / part }, (_, at) => documents.slice(at * part, (at + 1) * part));
  const signAll = () =>
    pMap(parts, (some) => addProofs(ports, some, { created, cryptosuite }), { concurrency: 4 });
  const signed = (await signAll()).flat();
  const checking = { identifier: ports.identifier, ownKeys: ports.signer.keys };
  const verifyAll = async () => {
    const checks = await pMap(signed, (document) => verifyCredentialProof(checking, { ...document }), {
      concurrency: atOnce,
    });
    if (checks.some(({ result }) => result !== 'ok')) throw new Error('A proof of the bench does not hold.');
  };
  return row(`${cryptosuite}: ${where}`, await rate(count, signAll), await rate(count, verifyAll));
}

function row(what: string, signs: number, verifies: number): Row {
  return {
    what,
    'sign/s': signs,
    ratio: signs / plainSign,
    'verify/s': verifies,
    'ratio of verify': verifies / plainVerify,
  };
}

const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-proofs-'));
const file = join(folder, 'key.json');
await writeNewKey(file);
const signer = await openSigner(file, { mayCreate: false });
rmSync(folder, { recursive: true });
const world = ContextWorld.bundled();
await using pool = new StatementPool({
  registry: new ContextRegistry(ContextWorld.bundled(), []),
  maxDepth: 64,
  documentMs: 5_000,
  requestMs: 60_000,
});
const inThread = new StatementIdentifier(world);
const nquads = async (bytes: Uint8Array) =>
  await inThread.nquads(JSON.parse(Buffer.from(bytes).toString()), { workFactor: 3, covered: true });
const oneThread = {
  nquads,
  canonicalNQuads: async (documents: readonly Uint8Array[]) =>
    await pMap(documents, nquads, { concurrency: 1 }),
  canonicalDigests: async (documents: readonly Uint8Array[]) =>
    await pMap(documents, async (document) => sha256Digest(await nquads(document)), { concurrency: 1 }),
};

const payload = Buffer.from('urn:cid:bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu');
const pae = preAuthenticationEncoding('text/plain', payload);
const envelope = {
  payloadType: 'text/plain',
  payload: payload.toString('base64'),
  signatures: [{ keyid: signer.did, sig: Buffer.from(await signer.sign(pae)).toString('base64') }],
};
const dsseSign = await rate(count, async () => {
  for (let round = 0; round < count; round += 1)
    await signer.sign(preAuthenticationEncoding('text/plain', payload));
});
const dsseVerify = await rate(count, () => repeat(() => verifyDsse(envelope, new Map())));

report('Proofs', [
  row('plain Ed25519', plainSign, plainVerify),
  await compare('small, one thread', small, { identifier: oneThread, signer }),
  await compare('small, threads', small, { identifier: pool, signer }),
  await compare('with status entries, one thread', withStatus, { identifier: oneThread, signer }),
  await compare('with status entries, threads', withStatus, { identifier: pool, signer }),
  await compare(
    'with status entries, one thread',
    withStatus,
    { identifier: oneThread, signer },
    'eddsa-jcs-2022',
  ),
  row('DSSE, one thread', dsseSign, dsseVerify),
]);
