import { afterEach, describe, expect, it, vi } from 'vitest';
import { base58Text } from '../../src/domain/integrity/identifiers/base58.ts';
import { jcsData } from '../../src/domain/integrity/proofs/suites.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, type TestKey } from '../builders/keys.ts';
import { send, useService } from './service.ts';
import { type Json, signedCredential, trusted } from './trusted-statements.ts';
import { dsseEnvelope } from './trusting-service.ts';

const service = useService();
const { key, statement, registration, put, verification, allocate, revoke } = trusted(service);

const proofs = 'https://w3id.org/security/data-integrity/v2';

/** A statement with a proof of its exact JSON. */
function withProof(unsigned: Json, by: TestKey, more: Json = {}): Json {
  const context = [unsigned['@context'], proofs].flat();
  const document = { ...unsigned, '@context': context };
  const options = {
    type: 'DataIntegrityProof',
    cryptosuite: 'eddsa-jcs-2022',
    verificationMethod: by.method,
    proofPurpose: 'assertionMethod',
    '@context': context,
    ...more,
  };
  const proofValue = base58Text(by.sign(jcsData(document, options)));
  return { ...document, proof: { ...options, proofValue } };
}

describe('a statement with a proof and a credential', () => {
  it('is not trusted for a credential that was revoked, whatever the proof', async () => {
    const { rdfc_cid: subject } = (await put(statement())).json;
    const unsigned = newCredential({ issuer: key.did, credentialSubject: { id: `urn:cid:${subject}` } });
    const allocated = (await allocate(unsigned)).json;
    const carrier = registration(await signedCredential('', allocated));
    const carried = withProof(carrier, newKey(), { proofPurpose: 'authentication' });
    const { rdfc_cid } = (await put(carried)).json;
    expect((await verification(rdfc_cid)).trust).toMatchObject({ state: 'signed', by: key.did, valid: true });
    await revoke(unsigned.id, allocated.credentialStatus[0]);
    expect((await verification(subject)).trust).toMatchObject({ state: 'revoked', by: key.did });
    const { trust, signatures } = await verification(rdfc_cid);
    expect(trust).toMatchObject({ state: 'revoked', by: key.did });
    expect(signatures).toMatchObject([
      { kind: 'proof', result: 'failed' },
      { kind: 'credential', result: 'ok', revoked: true },
    ]);
  });

  it('keeps the proof of its registrant if an envelope in it cannot be checked', async () => {
    const registrant = newKey();
    const credentialDsse = dsseEnvelope(newKey(), 'nobody', 'text/plain', 'urn:cid:none');
    const { credential: _, ...carrier } = registration({});
    const carried = { ...carrier, registeredBy: registrant.did, credentialDsse };
    const { rdfc_cid } = (await put(withProof(carried, registrant))).json;
    const { trust, registrant: check, signatures } = await verification(rdfc_cid);
    expect(trust).toMatchObject({ state: 'signed', by: registrant.did, by_registrant: true, valid: true });
    expect(check).toEqual({ result: 'ok' });
    expect(signatures).toMatchObject([
      { kind: 'proof', result: 'ok' },
      { kind: 'dsse', result: 'unknown' },
    ]);
  });
});

describe('a signature that ends', () => {
  afterEach(() => void vi.useRealTimers());

  const after = (expires: string) => vi.useFakeTimers({ toFake: ['Date'], now: Date.parse(expires) + 1_000 });

  it('does not count after its proof has expired', async () => {
    const by = newKey();
    const expires = '2126-01-01T00:00:00Z';
    const { rdfc_cid } = (await put(withProof({ ...statement(), registeredBy: by.did }, by, { expires })))
      .json;
    const trust = async () =>
      (await send(service, 'GET', `/cid/v1/find/${rdfc_cid}`)).json.statements[0].trust;
    expect(await trust()).toMatchObject({ state: 'signed', by: by.did, valid: true });
    after(expires);
    expect(await trust()).toMatchObject({ state: 'signed', by: by.did, valid: false });
  });

  it.each(['2021-01-01', '2021-01-01T00:00:00+24:00', 'soon'])(
    'does not count if its credential ends at %s, which is no time',
    async (validUntil) => {
      const { rdfc_cid } = (await put(statement())).json;
      const document = { ...newCredential({ issuer: key.did }), validUntil };
      const credential = await signedCredential(`urn:cid:${rdfc_cid}`, { validUntil: document.validUntil });
      await put(registration(credential));
      const { trust, signatures } = await verification(rdfc_cid);
      expect(trust).toEqual({ state: 'claimed' });
      expect(signatures).toMatchObject([{ result: 'failed', reason: expect.stringContaining('validUntil') }]);
    },
  );
});
