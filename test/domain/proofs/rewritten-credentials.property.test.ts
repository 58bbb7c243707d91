import fc from 'fast-check';
import { base58btc } from 'multiformats/bases/base58';
import { describe, expect, test } from 'vitest';
import { checkAnswer } from '../../../src/contract/sentences.ts';
import { governanceContextUrl, ownContextUrl } from '../../../src/domain/integrity/contexts/own.ts';
import { failed, verifyCredential } from '../../../src/domain/integrity/credentials/verify-credential.ts';
import { parseCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import type { StatementRow } from '../../../src/domain/integrity/ports.ts';
import { addProof } from '../../../src/domain/integrity/proofs/data-integrity.ts';
import { failedCheck } from '../../../src/domain/integrity/proofs/proof.ts';
import { hashed, rdfcTexts } from '../../../src/domain/integrity/proofs/rdfc.ts';
import { checkSignatures } from '../../../src/domain/integrity/signatures/check.ts';
import { contextV2, newCredential } from '../../builders/credentials.ts';
import { newKey, signerWith } from '../../builders/keys.ts';
import { canonicalizer } from '../../builders/proofs.ts';
import {
  type Rewritable,
  type Rewriting,
  rewritable,
  rewritings,
  trueSubject,
  written,
} from '../../builders/rewritten-credentials.ts';
import { runs } from '../../property-runs.ts';

type Json = Readonly<Record<string, unknown>>;

const key = newKey();
const identifier = canonicalizer();
const now = () => new Date('2026-06-01T00:00:00Z');
const ports = {
  identifier,
  ownKeys: [],
  now,
  dsse: () => failedCheck({ code: 'no_key_id' }),
  sigstore: async () => failedCheck({ code: 'no_trusted_root' }),
};
const xsd = 'http://www.w3.org/2001/XMLSchema#';
const statusListCredential = 'https://lists.example/1';
const entry = (statusListIndex: string) => ({
  type: 'BitstringStatusListEntry',
  statusPurpose: 'revocation',
  statusListIndex,
  statusListCredential,
});
const [goodIndex, revokedIndex] = ['5', '6'];

const signed = async (more: Json) =>
  await addProof(
    { identifier, signer: signerWith(key) },
    newCredential({
      '@context': [contextV2, governanceContextUrl],
      type: ['VerifiableCredential', 'ProjectMembershipCredential'],
      issuer: key.did,
      validFrom: '2026-01-01T00:00:00Z',
      validUntil: '2027-01-01T00:00:00Z',
      credentialSubject: {
        id: trueSubject,
        project: 'urn:uuid:1b4e28ba-2fa1-41d2-883f-0016d3cca427',
        role: ['x'],
      },
      credentialStatus: entry(goodIndex),
      ...more,
    }),
    { created: new Date('2026-01-01T00:00:00Z') },
  );

const good = await signed({});
const revoked = await signed({ credentialStatus: entry(revokedIndex) });
const expired = await signed({ validUntil: '2026-02-01T00:00:00Z' });

async function checked(credential: Json) {
  const statusCheck = async ({ statusListIndex }: Json) =>
    statusListIndex === revokedIndex ? failed({ code: 'revoked' }) : { result: 'ok' as const };
  return await verifyCredential({ ...ports, statusCheck }, credential);
}

const verified = async (credential: Json) => (await checked(credential)).verified;

const cid = (text: string) => parseCid(text);
const carrierId = 'bagb6qaq6ede2dkg2ogwka77vahezwtm5otp6bsre2mdi4zndtvxeoqdpn6g64';

/** What a statement with this credential is a signature of, if it holds. */
async function vouched(credential: Json) {
  const statement = { '@context': ownContextUrl, '@type': 'CredentialRegistration', credential };
  const row = {
    kind: 'CredentialRegistration',
    jcs: Buffer.from(JSON.stringify(statement)),
    jcsCid: cid('baga6yaq6ed6wyqrzepiyzrsj3ibdsb2jrbhrjvbifqpgskbhm5nbkyzkbgkoa'),
    rdfcCid: cid(carrierId),
    references: [],
  } as unknown as StatementRow;
  const found = await checkSignatures(ports, [row]);
  return found
    .filter(({ result }) => result === 'ok')
    .map(({ about, signer, credentialId, validFrom, validUntil }) => ({
      about,
      signer,
      credentialId,
      validFrom,
      validUntil,
    }));
}

/** What the names of a credential say. */
function said({ id, type, issuer, validFrom, validUntil, credentialSubject, credentialStatus }: Json) {
  return { id, type, issuer, validFrom, validUntil, credentialSubject, credentialStatus };
}

/** Undefined if the RDF does not cover the document. */
async function rdfOf(document: Json): Promise<string | undefined> {
  const { proof: _, ...content } = document;
  const bytes = Buffer.from(JSON.stringify(content));
  return (await identifier.canonicalNQuads([bytes]).catch(() => []))[0];
}

const names = Object.keys(rewritings);

describe('the options of a proof that are written with other names', () => {
  /** A credential with these options of its proof, and a copy of its contexts with other names for them. */
  async function rewrittenProof(options: Json, terms: Json, names: Json): Promise<Json> {
    const { proof, ...content } = good;
    const { proofValue: _, ...rest } = proof;
    const all = { ...rest, ...options };
    const proofValue = base58btc.encode(key.sign(hashed(await rdfcTexts(identifier, content, all))));
    const { context, body } = rewritable({ ...content, proof: { ...all, ...names, proofValue } });
    const type = context.DataIntegrityProof as { '@context': Json };
    const scoped = { ...type, '@context': { ...type['@context'], ...terms } };
    return written({ context: { ...context, DataIntegrityProof: scoped }, body });
  }

  test('are the same with a copy of the context', async () => {
    const expires = '2026-07-01T00:00:00Z';
    expect(await verified(await rewrittenProof({ expires }, {}, {}))).toBe(true);
  });

  test('do not hide the end of the proof', async () => {
    const expires = '2026-02-01T00:00:00Z';
    expect(await verified(await rewrittenProof({ expires }, {}, {}))).toBe(false);
    const end = { '@id': 'https://w3id.org/security#expiration', '@type': `${xsd}dateTime` };
    const hidden = await rewrittenProof({ expires }, { end }, { expires: undefined, end: expires });
    const { proof } = hidden as { proof: Json };
    const { checks } = await checked({ ...hidden, proof: JSON.parse(JSON.stringify(proof)) });
    expect(checkAnswer(checks.proof)).toEqual({
      result: 'unknown',
      reason: expect.stringContaining('does not cover expires of the proof'),
    });
  });

  test('do not hide its purpose', async () => {
    const purpose = { '@id': 'https://w3id.org/security#authenticationMethod', '@type': '@id' };
    const type = (rewritable(good).context.DataIntegrityProof as { '@context': Json })['@context'];
    const { '@context': scoped, ...more } = type.proofPurpose as Json;
    const proofPurpose = { ...more, '@context': { ...(scoped as Json), assertionMethod: purpose } };
    const hidden = await rewrittenProof(
      { proofPurpose: 'authentication' },
      { proofPurpose },
      { proofPurpose: 'assertionMethod' },
    );
    const { checks } = await checked(hidden);
    expect(checkAnswer(checks.proof)).toEqual({
      result: 'unknown',
      reason: expect.stringContaining('does not cover proofPurpose of the proof'),
    });
  });
});

describe('a signed credential that is written with other names', () => {
  test('verifies if only its context is a copy', async () => {
    const copy = written(rewritable(good));
    expect(await verified(copy)).toBe(true);
    expect(await vouched(copy)).toEqual(await vouched(good));
  });

  test.each(names)('does not count: %s', async (name) => {
    for (const original of [good, revoked, expired]) {
      const document = written((rewritings[name] as Rewriting)(rewritable(original)));
      expect(await verified(document)).toBe(false);
      expect(await vouched(document)).toEqual([]);
    }
  });

  test('has the same RDF in each of these ways, unless it hides something', async () => {
    const rdf = await rdfOf(good);
    const all = await Promise.all(
      names.map(async (name) => await rdfOf(written((rewritings[name] as Rewriting)(rewritable(good))))),
    );
    for (const [at, one] of all.entries()) expect([names[at], one ?? rdf]).toEqual([names[at], rdf]);
    expect(all.filter((one) => one !== undefined).length).toBeGreaterThan(20);
  });

  test('never says more than was signed, in whatever combination', async () => {
    const steps = fc.uniqueArray(fc.constantFrom(...names), { minLength: 1, maxLength: 3 });
    const originals = fc.constantFrom(
      [good, true] as const,
      [revoked, false] as const,
      [expired, false] as const,
    );
    const places = fc.constantFrom<(context: unknown) => unknown>(
      (context) => context,
      (context) => [context],
      (context) => [contextV2, context],
      (context) => [context, contextV2],
      (context) => [context, contextV2, governanceContextUrl],
      (context) => [{ '@version': 1.1, '@propagate': true, ...(context as object) }],
      (context) => [null, context],
      (context) => [context, null, context],
    );
    const known = new Map<Json, ReadonlySet<string>>();
    for (const original of [good, revoked, expired])
      known.set(original, new Set((await vouched(original)).map((one) => JSON.stringify(one))));
    await fc.assert(
      fc.asyncProperty(originals, steps, places, async ([original, isGood], chosen, place) => {
        const rewrite = (document: Rewritable) =>
          chosen.reduce((changed, name) => (rewritings[name] as Rewriting)(changed), document);
        const document: Json = written(rewrite(rewritable(original)));
        const credential = { ...document, '@context': place(document['@context']) };
        if (await verified(credential)) {
          expect(isGood).toBe(true);
          expect(said(credential)).toEqual(said(original));
        }
        for (const one of await vouched(credential))
          expect(known.get(original)).toContain(JSON.stringify(one));
      }),
      { numRuns: runs(500) },
    );
  });
});
