import type { ErrorCode } from '../../errors.ts';

type None = Readonly<Record<never, never>>;

/**
 * Why a signature, a credential or a status does not hold, by code, with the facts that a sentence about it needs. Values from
 * outside are cut. The sentences are in `src/contract/sentences.ts`.
 */
interface ReasonFacts {
  // Proofs of documents
  no_proof: None;
  too_many_proofs: { count: number; most: number };
  proof_not_object: None;
  one_of_proofs: { number: number; count: number; reason: Reason };
  suite_not_named: { member: 'cryptosuite' | 'type'; value: string };
  suite_unknown: { name: string; known: readonly string[] };
  wrong_purpose: { value: string };
  not_a_time: { member: string; value: string };
  proof_expired: { at: string };
  too_many_previous: { most: number };
  previous_missing: { id: string };
  context_differs: None;
  no_jcs_form: None;
  /** The document was refused as a whole. `message` is the sentence of the error. */
  refused: { error: ErrorCode; message: string };
  unreadable_quad: { quad: string };

  // Keys and signatures
  method_not_text: { value: string };
  method_not_did: { value: string };
  no_such_own_key: { did: string; fragment: string };
  key_not_found: { did: string };
  other_key_named: { did: string; fragment: string };
  /** `message` is the sentence of the error that refused it. */
  invalid_key: { message: string };
  not_on_curve: None;
  wrong_key_type: { suite: string; wanted: string; did: string; found: string };
  curve_not_checked: None;
  wrong_length: { keyType: string; wanted: number; found: number };
  not_signed_by: { did: string };
  not_multibase: { value: string };
  not_base58: { value: string };
  not_detached_jws: { value: string };
  wrong_jws_algorithm: { wanted: string; value: string };
  wrong_jws_options: None;
  jws_header_unreadable: None;

  // What a signature covers
  proof_member_not_covered: { member: string };
  form_not_covered: { member: string };
  members_not_covered: { members: readonly string[] };
  /** `is`: the kind of the statement. `names`: a role of its references. */
  statement_not_covered: { says: 'is' | 'names' | 'context'; name: string };
  too_large: { most: number };
  signature_too_large: { most: number };

  // DSSE envelopes and Sigstore bundles
  malformed_envelope: { place: string; problem: string };
  payload_not_json: { type: string };
  no_key_id: None;
  payload_signed_alone: None;
  payload_not_signed_by: { did: string };
  key_id_unknown: { keyId: string };
  key_id_of_other_key: { keyId: string };
  no_trusted_root: None;
  only_with_trusted_root: None;
  bundle_not_base64: { most: number };
  bundle_not_json: None;
  wrong_media_type: { wanted: string; value: string };
  bundle_without_file: None;
  bundle_without_time: { identity: string };
  bundle_authority_unknown: { identity: string };
  bundle_key_unknown: { key: string };
  bundle_fails: { part: 'certificate' | 'signature' | 'timestamp' | 'log' | 'other' };
  /** `message` is a sentence. */
  malformed_model_signature: { message: string };
  certificate_not_checked: None;
  subject_not_stored: { subject: string };
  other_subject: { subject: string };

  // Credentials
  malformed_date: { member: string };
  ends_before_begin: None;
  not_yet_valid: { from: string };
  expired: { at: string };
  revoked: None;
  suspended: None;
  no_issuer: None;
  several_signers: { signers: readonly string[] };
  issuer_unproven: { issuer: string };
  other_issuer: { signer: string; issuer: string };
  issuer_proof_fails: { issuer: string };

  // Status lists
  too_many_entries: { count: number; most: number };
  entry_not_object: None;
  incomplete_entry: None;
  unsupported_entry: { type: string; purpose: string };
  list_not_given: { url: string };
  list_not_own: { url: string };
  list_refused: { url: string; reason: Reason };
  list_of_other_issuer: { issuer: string; wanted: string };
  not_a_list: None;
  no_bits: None;
  malformed_bits: { message: string };
  wrong_list_purpose: { purpose: string };
  malformed_index: None;
  index_outside: { index: string; length: number };
  entry_of_other: { url: string; index: string };

  // Registrants of statements
  no_registrant: None;
  not_by_registrant: { registrant: string; signer: string | null };
  signature_fails: None;

  /** From records of versions that stored a sentence. */
  told: { sentence: string };
}

export type ReasonCode = keyof ReasonFacts;

/** Why something does not hold. */
export type Reason<Code extends ReasonCode = ReasonCode> = {
  [Each in Code]: { readonly code: Each } & Readonly<ReasonFacts[Each]>;
}[Code];

/** What a check of anything found. */
export type Check = { readonly result: 'ok'; readonly reason?: undefined } | BadCheck;

export interface BadCheck {
  /** `unknown`: it cannot be checked here. */
  readonly result: 'failed' | 'unknown';
  readonly reason: Reason;
}
