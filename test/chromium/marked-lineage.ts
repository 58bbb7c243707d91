import { randomUUID } from 'node:crypto';
import { ownContextUrl } from '../../src/domain/integrity/contexts/own.ts';
import { cidOf, cidUrn, codecs } from '../../src/domain/integrity/identifiers/cid.ts';
import { addProof } from '../../src/domain/integrity/proofs/data-integrity.ts';
import { contextV2 } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';
import { type Asked, send } from '../http/service.ts';

type Json = Readonly<Record<string, unknown>>;

const key = newKey();
export const signer = signerWith(key);
const signing = { identifier: canonicalizer(), signer };
export const registrant = key.did;
export const artefact = (name: string) => cidUrn(cidOf(codecs.raw, name));

/** raw → table → model → image. Each step has another mark. */
export interface MarkedLineage {
  readonly claimed: string;
  readonly signed: string;
  readonly revoked: string;
  readonly expired: string;
}

export async function storeMarkedLineage(service: Asked): Promise<MarkedLineage> {
  const put = async (fields: Json, more: Json = {}): Promise<string> => {
    const statement = {
      '@context': ownContextUrl,
      registeredBy: registrant,
      timestamp: '2026-01-31T12:00:00Z',
      ...fields,
    };
    const { status, json, text } = await send(service, 'PUT', '/statements/v1', {
      statement,
      generate_id: true,
      ...more,
    });
    if (status !== 201) throw new Error(text);
    return cidUrn(json.rdfc_cid);
  };
  const step = async (input: string, output: string, more?: Json) => {
    const ends = { input: artefact(input), output: artefact(output), operatedBy: registrant };
    return await put({ '@type': 'ComputationRegistration', ...ends }, more);
  };
  /** Stores a credential about a statement, signed by the registrant, with status entries of the service. */
  const sign = async (subject: string, more: Json = {}) => {
    const unsigned = {
      '@context': [contextV2],
      id: `urn:uuid:${randomUUID()}`,
      type: ['VerifiableCredential'],
      issuer: registrant,
      credentialSubject: { id: subject },
      ...more,
    };
    const { json: allocated } = await send(service, 'POST', '/credentials/v1/allocate', unsigned);
    const credential = await addProof(signing, allocated, { created: new Date('2026-01-31T12:00:00Z') });
    await put({ '@type': 'CredentialRegistration', credential });
    return allocated;
  };
  const claimed = await step('raw', 'table');
  const signed = await step('table', 'model', { issue_vc: true });
  const revoked = await step('model', 'image');
  const expired = await step('image', 'release');
  const { id, credentialStatus } = await sign(revoked);
  await sign(expired, { validFrom: '2026-01-01T00:00:00Z', validUntil: '2026-02-01T00:00:00Z' });
  const answer = await send(service, 'POST', `/credentials/v1/revoke/${encodeURIComponent(id)}`, {
    credentialStatus: credentialStatus[0],
  });
  if (answer.status !== 200) throw new Error(answer.text);
  return { claimed, signed, revoked, expired };
}
