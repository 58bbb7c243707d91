import { expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { falseSubject, trueSubject } from '../builders/rewritten-credentials.ts';
import { usePool } from '../builders/statement-pool.ts';
import { ownStatement } from '../builders/statements.ts';
import { verifiedManifest } from '../builders/verified-manifest.ts';
import { exportBytes, newGraph } from './manifest-samples.ts';
import { send, useService } from './service.ts';

type Json = Readonly<Record<string, unknown>>;

const service = useService();
const pool = usePool();
const [key, other] = [newKey(), newKey()];
const proofContext = 'https://w3id.org/security/data-integrity/v2';
const terms = 'https://eqtylab.io/terms/';

async function signed(context: unknown, statement: Json, cryptosuite?: 'eddsa-jcs-2022') {
  const document = { '@context': [context, proofContext], ...statement };
  const options = { created: new Date(), ...(cryptosuite && { cryptosuite }) };
  return await addProof({ identifier: canonicalizer(), signer: signerWith(key) }, document, options);
}

/** What is known about the registrant of a statement after it was stored. */
async function registrantOf(statement: unknown) {
  const stored = await send(service, 'PUT', '/statements/v1', { statement, generate_id: true });
  expect(stored.status, stored.text).toBe(201);
  const path = `/statements/v1/id/${stored.json.rdfc_cid}/verification?jcs_cid=${stored.json.jcs_cid}`;
  return (await send(service, 'GET', path)).json.registrant;
}

const ok = { result: 'ok' };
const notCovered = {
  result: 'unknown',
  reason: expect.stringMatching(/^The signature holds, but it does not cover what the statement/),
};
const time = { timestamp: '2026-01-31T12:00:00Z' };

test('a signature holds in a foreign context', async () => {
  const computation = {
    '@type': 'ComputationRegistration',
    registeredBy: key.did,
    input: trueSubject,
    output: falseSubject,
    ...time,
  };
  expect(await registrantOf(await signed({ '@vocab': terms }, computation))).toEqual(ok);
  const note = { '@type': 'Note', registeredBy: key.did, about: trueSubject };
  expect(await registrantOf(await signed({ '@vocab': 'https://notes.example#' }, note))).toEqual(ok);
});

test('a signature does not count for references under other names', async () => {
  const { '@context': _, ...content } = await signed(
    { '@vocab': terms },
    {
      '@type': 'ComputationRegistration',
      registeredBy: key.did,
      input: trueSubject,
      output: falseSubject,
      timestamp: '2026-01-31T13:00:00Z',
    },
  );
  const swapped = {
    ...content,
    '@context': [{ '@vocab': terms, input: `${terms}output`, output: `${terms}input` }, proofContext],
    input: falseSubject,
    output: trueSubject,
  };
  expect(await registrantOf(swapped)).toEqual(notCovered);
});

const notes = 'https://notes.example/';

test('a signature does not make its signer the registrant', async () => {
  const { '@context': _, ...content } = await signed(
    { '@vocab': notes },
    { '@type': 'Note', registeredBy: other.did, reviewedBy: key.did },
  );
  const swapped = {
    ...content,
    '@context': [
      { '@vocab': notes, registeredBy: `${notes}reviewedBy`, reviewedBy: `${notes}registeredBy` },
      proofContext,
    ],
    registeredBy: key.did,
    reviewedBy: other.did,
  };
  expect(await registrantOf(swapped)).toEqual(notCovered);
});

test('a signature does not count for another type', async () => {
  const { '@context': _, ...content } = await signed(
    { '@vocab': notes },
    { '@type': 'Rejection', registeredBy: key.did, about: trueSubject },
  );
  const other = {
    ...content,
    '@context': [{ '@vocab': notes, Approval: `${notes}Rejection` }, proofContext],
    '@type': 'Approval',
  };
  expect(await registrantOf(other)).toEqual(notCovered);
});

test('a signature fails if contexts hide a part of the statement', async () => {
  const { '@context': _, ...content } = await signed(
    { '@vocab': notes },
    { '@type': 'Note', registeredBy: key.did, about: trueSubject },
  );
  const more = {
    ...content,
    '@context': [{ '@vocab': notes, verdict: '@index' }, proofContext],
    verdict: 'good',
  };
  expect(await registrantOf(more)).toEqual({
    result: 'failed',
    reason: expect.stringContaining('does not cover the whole document. JSON-LD drops "/verdict"'),
  });
});

test('a signature of exact JSON does not count under contexts that were added later', async () => {
  const document = await signed(
    { '@vocab': notes },
    { '@type': 'DataRegistration', registeredBy: key.did, data: trueSubject, ...time },
    'eddsa-jcs-2022',
  );
  expect(await registrantOf(document)).toEqual(ok);
  const context = [{ '@vocab': notes }, proofContext, { '@vocab': terms }];
  expect(await registrantOf({ ...document, '@context': context })).toEqual(notCovered);
});

test('a statement in the own context cannot hide a signed one', async () => {
  const document = await signed(ownContextUrl, {
    '@type': 'DataRegistration',
    registeredBy: key.did,
    data: trueSubject,
    ...time,
  });
  expect(await registrantOf(document)).toEqual(ok);
  const hiding = {
    ...document,
    '@context': [ownContextUrl, proofContext, { also: '@included' }],
    also: { '@id': 'urn:x:y', '@type': 'urn:x:z' },
  };
  expect((await registrantOf(hiding)).result).toBe('failed');
});

test('a name without a meaning makes nobody the registrant, offline too', async () => {
  const graph_id = await newGraph(service);
  const statement = {
    '@context': { '@vocab': notes, registeredBy: '@index' },
    '@type': 'Note',
    registeredBy: key.did,
    by: other.did,
  };
  const put = async (one: unknown) =>
    (await send(service, 'PUT', '/statements/v1', { statement: one, generate_id: true, graph_id })).json;
  const { rdfc_cid } = await put(statement);
  const unsigned = newCredential({ issuer: key.did, credentialSubject: { id: `urn:cid:${rdfc_cid}` } });
  const credential = await addProof({ identifier: canonicalizer(), signer: signerWith(key) }, unsigned, {
    created: new Date(),
  });
  await put(ownStatement('CredentialRegistration', { credential }));
  const { findings } = await verifiedManifest(pool, await exportBytes(service, `graph_ids=${graph_id}`));
  const about = findings.find((one) => one.kind === 'trust' && one.statement === `urn:cid:${rdfc_cid}`);
  expect(about).toMatchObject({ trust: { state: 'signed', by: key.did, isRegistrant: false } });
});
