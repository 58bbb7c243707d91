import { isObject, type JsonObject } from '../../json/is-object.ts';
import type { StatementRow } from '../ports.ts';
/** A signature inside a statement. */
export type CarriedSignature =
  | { readonly kind: 'proof'; readonly document: JsonObject }
  | { readonly kind: 'credential'; readonly credential: JsonObject }
  | { readonly kind: 'dsse'; readonly envelope: unknown }
  | { readonly kind: 'sigstore'; readonly bundle: unknown; readonly subject: unknown };

const proofMember = Buffer.from('"proof":');

/** Whether a row may carry a signature, without parsing it. */
export function mayCarrySignature({ kind, jcs }: Pick<StatementRow, 'kind' | 'jcs'>): boolean {
  const bytes = Buffer.from(jcs.buffer, jcs.byteOffset, jcs.byteLength);
  return kind === 'CredentialRegistration' || bytes.includes(proofMember);
}

/** The signatures that a statement carries. */
export function carriedSignatures({ kind, jcs }: Pick<StatementRow, 'kind' | 'jcs'>): CarriedSignature[] {
  const document = JSON.parse(
    Buffer.from(jcs.buffer, jcs.byteOffset, jcs.byteLength).toString(),
  ) as JsonObject;
  const found: CarriedSignature[] = [];
  if (document.proof !== undefined) found.push({ kind: 'proof', document });
  if (kind !== 'CredentialRegistration') return found;
  const { credential, credentialDsse: envelope, sigstoreBundle: bundle, subject } = document;
  if (isObject(credential)) found.push({ kind: 'credential', credential });
  if (envelope !== undefined) found.push({ kind: 'dsse', envelope });
  if (bundle !== undefined) found.push({ kind: 'sigstore', bundle, subject });
  return found;
}
