import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, test } from 'vitest';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { encodeBitstring } from '../../src/domain/integrity/credentials/bitstring.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import {
  type Rewriting,
  rewritable,
  rewritings,
  roleAsStatusList,
  roleAsSubject,
  written,
} from '../builders/rewritten-credentials.ts';
import { usePool } from '../builders/statement-pool.ts';
import { blobUrn, didStatement } from '../builders/statements.ts';
import { verifiedManifest } from '../builders/verified-manifest.ts';
import { blobText, posted } from './governance/governance.ts';
import { exportBytes, newGraph } from './manifest-samples.ts';
import { putBlob, send, useService } from './service.ts';

type Json = Readonly<Record<string, unknown>>;

const service = useService();
const pool = usePool();
const key = newKey();
const rewritten = (name: string, credential: Json) =>
  written((rewritings[name] as Rewriting)(rewritable(credential)));

const signed = async (unsigned: object): Promise<Json> =>
  await addProof({ identifier: canonicalizer(), signer: signerWith(key) }, unsigned, {
    created: new Date(),
  });

let graph: string;

async function put(statement: unknown): Promise<string> {
  const body = { statement, generate_id: true, graph_id: graph };
  const answer = await send(service, 'PUT', '/statements/v1', body);
  expect(answer.status, answer.text).toBe(201);
  return answer.json.rdfc_cid;
}

/** In a foreign context, because the own one refuses what the id of the statement does not cover. */
const registered = async (credential: Json, by = key.did) =>
  await put({
    '@context': { '@vocab': 'https://eqtylab.io/terms/' },
    '@type': 'CredentialRegistration',
    credential,
    registeredBy: by,
    timestamp: '2026-01-31T12:00:00Z',
  });

const verification = async (id: string) =>
  (await send(service, 'GET', `/statements/v1/id/${id}/verification`)).json;
const stateOf = async (id: string) => (await verification(id)).trust.state;
const verify = async (credential: Json) =>
  (await send(service, 'POST', '/credentials/v1/verify', { credential })).json;

async function allocated(more: Json): Promise<Json> {
  const { json } = await send(
    service,
    'POST',
    '/credentials/v1/allocate',
    newCredential({ issuer: key.did, ...more }),
  );
  return await signed(json);
}

async function revoke({ id, credentialStatus }: Json): Promise<void> {
  const [entry] = credentialStatus as readonly Json[];
  const path = `/credentials/v1/revoke/${encodeURIComponent(String(id))}`;
  expect((await send(service, 'POST', path, { credentialStatus: entry })).status).toBe(200);
}

beforeEach(async () => {
  graph = await newGraph(service);
});

describe('a credential that somebody else writes with other names', () => {
  test.each(['inline', 'stored'])(
    'does not sign what its issuer never saw: with an %s context',
    async (place) => {
      const subject = `urn:cid:${await put(didStatement(randomUUID()))}`;
      const rdfc_cid = await put(didStatement(randomUUID()));
      const genuine = await signed(newCredential({ issuer: key.did, credentialSubject: { id: subject } }));
      const { context } = rewritable(genuine);
      const text = JSON.stringify({ '@context': context });
      await putBlob(service, Buffer.from(text));
      const forged = {
        ...genuine,
        '@context': place === 'stored' ? blobUrn(text) : context,
        credentialSubject: {
          '@context': { id: '@index', sid: '@id' },
          id: `urn:cid:${rdfc_cid}`,
          sid: subject,
        },
      };
      expect((await verify(genuine)).verified).toBe(true);
      expect((await verify(forged)).verified).toBe(false);
      await registered(forged);
      expect(await stateOf(rdfc_cid)).toBe('claimed');
    },
  );

  test.each(['a subject under another name', 'issuer and subject swapped'])(
    'says that the signature holds, and what it does not cover: %s',
    async (name) => {
      const { verified, checks } = await verify(
        rewritten(name, await signed(newCredential({ issuer: key.did }))),
      );
      expect([verified, checks.proof]).toEqual([
        false,
        {
          result: 'unknown',
          reason: expect.stringMatching(/The signature holds, but .*credentialSubject.* as it was signed/),
        },
      ]);
    },
  );

  test('stays revoked', async () => {
    const rdfc_cid = await put(didStatement(randomUUID()));
    const credential = await allocated({ credentialSubject: { id: `urn:cid:${rdfc_cid}` } });
    await registered(credential);
    expect(await stateOf(rdfc_cid)).toBe('signed');
    await revoke(credential);
    expect(await stateOf(rdfc_cid)).toBe('revoked');
    for (const name of ['a status under another name', 'another id beside the hidden one', '@id and @type']) {
      const forged = rewritten(name, credential);
      expect((await verify(forged)).verified).toBe(false);
      await registered(forged);
      expect(await stateOf(rdfc_cid)).toBe('revoked');
    }
  });

  test('stays expired', async () => {
    const rdfc_cid = await put(didStatement(randomUUID()));
    const expired = await signed(
      newCredential({
        issuer: key.did,
        validUntil: '2026-02-01T00:00:00Z',
        credentialSubject: { id: `urn:cid:${rdfc_cid}` },
      }),
    );
    await registered(expired);
    for (const name of ['an end under another name', 'an end in a list', 'an IRI as the name of the end']) {
      const forged = rewritten(name, expired);
      expect((await verify(forged)).verified).toBe(false);
      await registered(forged);
      expect((await verification(rdfc_cid)).trust).toMatchObject({ state: 'signed', valid: false });
    }
  });
});

const inAYear = () => new Date(Date.now() + 365 * 24 * 3_600_000).toISOString();

async function membershipWith(role: readonly string[]): Promise<Json> {
  const body = { subjectDid: key.did, expiryDate: inAYear(), role };
  const { credential } = await posted(service, `identity/membership/${randomUUID()}`, body);
  return JSON.parse(await blobText(service, credential.sourceCid));
}

test('the texts of a role are no status list of the service', async () => {
  const membership = await membershipWith(['revocation', await encodeBitstring([])]);
  expect((await verify(membership)).verified).toBe(true);
  const { verified, checks } = await verify(roleAsStatusList(membership));
  expect(verified).toBe(false);
  expect(checks.proof.result).not.toBe('ok');
});

test('the text of a role never makes the service vouch for a statement', async () => {
  const did = (await send(service, 'PUT', `/statements/v1/create/did/${key.did}`)).json.statement
    .registeredBy;
  const rdfc_cid = await put({
    '@context': ownContextUrl,
    '@type': 'GovernanceRegistration',
    subject: key.did,
    document: 'urn:cid:bafkr4ieiecm62u77db4btzk2qvezzoh57stjcvvwctfbhkps2aiybc52zu',
    registeredBy: did,
    timestamp: '2026-01-31T12:00:00Z',
  });
  const membership = await membershipWith([`urn:cid:${rdfc_cid}`]);
  expect((await verify(membership)).verified).toBe(true);
  const forged = roleAsSubject(membership);
  expect((await verify(forged)).verified).toBe(false);
  await registered(forged, did);
  expect((await verification(rdfc_cid)).trust).toEqual({ state: 'claimed' });
  const { findings, summary } = await verifiedManifest(
    pool,
    await exportBytes(service, `graph_ids=${graph}`),
  );
  expect(findings.filter(({ kind }) => kind !== 'missing')).toEqual([]);
  expect(summary).toMatchObject({ statements: 2, signed: 0, claimed: 2 });
});
