import { messageOf } from '../domain/errors.ts';
import { statementTime } from '../domain/integrity/identifiers/timestamp.ts';
import { ProofProblem } from '../domain/integrity/proofs/proof.ts';
import type { Check, Reason, ReasonCode } from '../domain/integrity/proofs/reasons.ts';
import type { Trust } from '../domain/integrity/signatures/trust.ts';
import type { TrustAnswer } from './integrity/trust.ts';

const bundleFaults = {
  certificate: 'Its certificate was not valid when it signed, or its authority was not.',
  signature: 'Its signature is not by its certificate or key, or the content was changed.',
  timestamp: 'It has no valid timestamp by an authority or log of the trusted root.',
  log: 'It is not in a transparency log of the trusted root, or the log entry is about something else.',
  other: 'A part of it cannot be read.',
};

/** Every reason as a sentence. Nothing else says a reason in words. */
export const sentences: { readonly [Code in ReasonCode]: (reason: Reason<Code>) => string } = {
  no_proof: () => 'The document has no proof.',
  too_many_proofs: ({ count, most }) => `The document has ${count} proofs. At most ${most} are checked.`,
  proof_not_object: () => 'proof must be an object or a list of objects.',
  one_of_proofs: ({ number, count, reason }) => `Proof ${number} of ${count}: ${sentenceOf(reason)}`,
  suite_not_named: ({ member, value }) =>
    `${member === 'type' ? 'The type of a proof' : member} must be a name, not ${value}.`,
  suite_unknown: ({ name, known }) =>
    `The suite ${name} cannot be checked. Supported are ${known.join(', ')}.`,
  wrong_purpose: ({ value }) => `proofPurpose must be "assertionMethod", but it is ${value}.`,
  not_a_time: ({ member, value }) => `${member} must be an RFC 3339 time, but it is ${value}.`,
  proof_expired: ({ at }) => `The proof expired at ${at}.`,
  too_many_previous: ({ most }) => `previousProof names more than ${most} proofs.`,
  previous_missing: ({ id }) => `The previousProof ${id} is not there.`,
  context_differs: () => 'The @context of the document does not start with the @context of the proof.',
  no_jcs_form: () => 'The document has no RFC 8785 form. It has a lone surrogate, or is nested too deeply.',
  refused: ({ error, message }) =>
    error === 'not_covered' ? `The proof does not cover the whole document. ${message}` : message,
  unreadable_quad: ({ quad }) => `The signature holds, but nobody can read the signed N-Quad ${quad}.`,

  method_not_text: ({ value }) => `verificationMethod must be one DID URL, but it is ${value}.`,
  method_not_did: ({ value }) => `verificationMethod must be a DID URL, but it is ${value}.`,
  no_such_own_key: ({ did, fragment }) => `${did} has no key ${fragment}.`,
  key_not_found: ({ did }) =>
    `The key of ${did} cannot be looked up. Only did:key and the keys of this service can be checked.`,
  other_key_named: ({ did, fragment }) =>
    `verificationMethod names the key ${fragment}, but the only key of ${did} is "${did.slice('did:key:'.length)}".`,
  invalid_key: ({ message }) => `The key of the proof is invalid. ${message}`,
  not_on_curve: () => 'The key of the proof is invalid. It is not a point on its curve.',
  wrong_key_type: ({ suite, wanted, did, found }) =>
    `${suite} needs a key on ${wanted}, but ${did} is on ${found}.`,
  curve_not_checked: () => 'ecdsa-rdfc-2019 is checked with keys on P-256 only, but this key is on P-384.',
  wrong_length: ({ keyType, wanted, found }) =>
    `A signature by ${keyType} has ${wanted} bytes, but this one has ${found}.`,
  not_signed_by: ({ did }) => `The signature is not by ${did}, or the content was changed after signing.`,
  not_multibase: ({ value }) =>
    `proofValue must be a signature in base58btc that starts with "z", not ${value}.`,
  not_base58: ({ value }) => `proofValue ${value} is not base58btc.`,
  not_detached_jws: ({ value }) =>
    `jws must be a detached JWS, which is header..signature, but it is ${value}.`,
  wrong_jws_algorithm: ({ wanted, value }) => `The alg of the jws must be "${wanted}", but it is ${value}.`,
  wrong_jws_options: () => 'The header of the jws must have "b64": false and "crit": ["b64"].',
  jws_header_unreadable: () => 'The header of the jws is not a JSON object in base64url.',

  proof_member_not_covered: ({ member }) =>
    `The signature holds, but in the contexts of this document it does not cover ${member} of the proof. Use the contexts with which it was signed.`,
  form_not_covered: ({ member }) =>
    `The signature holds, but ${member} is not written as VC Data Model 2.0 writes it. Write a text, an object, or a list of them, without JSON-LD keywords.`,
  members_not_covered: ({ members }) =>
    `The signature holds, but it does not cover what the document says in ${members.join(', ')}: its contexts give these members another meaning, or another member has theirs. Write the credential as it was signed, with the names and contexts of its data model.`,
  statement_not_covered: ({ says, name }) =>
    `The signature holds, but it does not cover what the statement ${{ is: 'is a', names: 'names as', context: 'has as' }[says]} ${name}: its contexts give members another meaning than the signed ones have. Write the statement as it was signed.`,
  too_large: ({ most }) => `Signatures of statements with more than ${most} bytes are not checked.`,
  signature_too_large: ({ most }) =>
    `The signature stays in the stored file and is not checked, because a statement that carries it would have more than ${most} bytes (CAIRN_MAX_STATEMENT_BYTES).`,

  malformed_envelope: ({ place, problem }) => `The DSSE envelope is malformed: ${place} ${problem}.`,
  payload_not_json: ({ type }) => `The payloadType is ${type}, but the payload is not JSON.`,
  no_key_id: () => 'The signature has no keyid, and no key in the file of CAIRN_DSSE_KEYS_FILE made it.',
  payload_signed_alone: () =>
    'The signature is of the payload alone. DSSE signs the payload with its type and lengths.',
  payload_not_signed_by: ({ did }) => `The signature is not by ${did}, or the payload was changed.`,
  key_id_unknown: ({ keyId }) =>
    `The key ${keyId} is not known. A keyid must be a did:key, or the kid of a key in the file of CAIRN_DSSE_KEYS_FILE.`,
  key_id_of_other_key: ({ keyId }) => `The keyid ${keyId} names another key than its did:key.`,
  no_trusted_root: () =>
    'Sigstore bundles cannot be checked without a trusted root or the key that they name. Set CAIRN_SIGSTORE_TRUSTED_ROOT to a trusted_root.json, or add the key to the file of CAIRN_DSSE_KEYS_FILE.',
  only_with_trusted_root: () => 'Sigstore bundles are checked by the service that has their trusted root.',
  bundle_not_base64: ({ most }) => `sigstoreBundle must be base64 of at most ${most} characters.`,
  bundle_not_json: () => 'The Sigstore bundle is not JSON of its format.',
  wrong_media_type: ({ wanted, value }) =>
    `The media type of a Sigstore bundle must be "${wanted}" or an older spelling, but it is ${value}.`,
  bundle_without_time: ({ identity }) =>
    `The signature is by the key of a certificate that names ${identity}, but there is no entry of a transparency log and no timestamp, so nothing proves that it was made while the certificate was valid. Import the Sigstore bundle of this signature, which has the entry.`,
  bundle_without_file: () => 'The bundle signs a file that it does not hold, so it cannot be checked here.',
  bundle_authority_unknown: ({ identity }) =>
    `The signature is by the key of a certificate that names ${identity}, and whose authority is not in the trusted root. Add the authority and its logs to the file of CAIRN_SIGSTORE_TRUSTED_ROOT.`,
  bundle_key_unknown: ({ key }) =>
    `The Sigstore bundle cannot be checked. The key ${key} is not known. Add it to the file of CAIRN_DSSE_KEYS_FILE.`,
  bundle_fails: ({ part }) => `The Sigstore bundle does not hold. ${bundleFaults[part]}`,
  malformed_model_signature: ({ message }) => `The signature of the model is malformed. ${message}`,
  certificate_not_checked: () =>
    'The model is signed with a certificate, whose authority is not known here. "cairn model verify" checks it.',
  subject_not_stored: ({ subject }) =>
    `The signature holds, but ${subject} is not stored here, so nobody can tell whether it is signed.`,
  other_subject: ({ subject }) => `The signature is about something else than ${subject}.`,

  malformed_date: ({ member }) => `${member} is not a date and time with a time zone.`,
  ends_before_begin: () => 'The credential ends before it begins.',
  not_yet_valid: ({ from }) => `The credential is not valid before ${from}.`,
  expired: ({ at }) => `The credential expired at ${at}.`,
  revoked: () => 'The credential is revoked.',
  suspended: () => 'The credential is suspended.',
  no_issuer: () => 'The credential names no issuer.',
  several_signers: ({ signers }) => `Several keys signed: ${signers.join(', ')}. Only the issuer may sign.`,
  issuer_unproven: ({ issuer }) =>
    `Nobody knows whether a key of ${issuer} signed, because the proof cannot be checked.`,
  other_issuer: ({ signer, issuer }) => `${signer} signed, but the issuer is ${issuer}.`,
  issuer_proof_fails: ({ issuer }) => `The proof names the key of ${issuer}, but it does not hold.`,

  too_many_entries: ({ count, most }) =>
    `credentialStatus has ${count} entries. At most ${most} are checked.`,
  entry_not_object: () => 'credentialStatus must be an object or a list of objects.',
  incomplete_entry: () => 'An entry of credentialStatus lacks statusListCredential or statusListIndex.',
  unsupported_entry: ({ type, purpose }) =>
    `A status entry is a ${type} for ${purpose}. Only a BitstringStatusListEntry of one bit for revocation or suspension can be checked.`,
  list_not_given: ({ url }) => `The status list ${url} is not among the given ones.`,
  list_not_own: ({ url }) =>
    `The status list ${url} is not of this service. Lists are not fetched from the network.`,
  list_refused: ({ url, reason }) => `The status list ${url} is refused. ${sentenceOf(reason)}`,
  list_of_other_issuer: ({ issuer, wanted }) =>
    `Its issuer is ${issuer}, but the issuer of the credential is ${wanted}.`,
  not_a_list: () => 'It is not a BitstringStatusListCredential.',
  no_bits: () => 'It has no BitstringStatusList with an encodedList.',
  malformed_bits: ({ message }) => message,
  wrong_list_purpose: ({ purpose }) => `The purpose of the status list is not ${purpose}.`,
  malformed_index: () => 'statusListIndex must be a whole number as a text.',
  index_outside: ({ index, length }) =>
    `The index ${index} is outside the list, which has ${length} entries.`,
  entry_of_other: ({ url, index }) =>
    `Entry ${index} of the status list ${url} does not belong to this credential.`,

  no_registrant: () => 'The statement names no DID in registeredBy.',
  not_by_registrant: ({ registrant, signer }) =>
    `No known signature is by ${registrant}.${signer === null ? '' : ` ${signer} signed it instead.`}`,
  signature_fails: () => 'The signature does not hold.',

  told: ({ sentence }) => sentence,
};

/** A reason for people. */
export function sentenceOf(reason: Reason): string {
  // Records of a newer version may have a code that is not known here.
  const say = sentences[reason.code] as ((reason: Reason) => string) | undefined;
  return say?.(reason) ?? reason.code;
}

/** The message of an error, or the sentence of a proof that does not hold. */
export function sentenceOfError(error: unknown): string {
  return error instanceof ProofProblem ? sentenceOf(error.reason) : messageOf(error);
}

/** A check as it is sent. */
export function checkAnswer({ result, reason }: Check): { result: Check['result']; reason?: string } {
  return { result, ...(reason && { reason: sentenceOf(reason) }) };
}

/** What stands behind a statement as it is sent. Of a retraction the reason is the text in it. */
export function trustAnswer(trust: Trust = { state: 'claimed' }): TrustAnswer {
  const { state, by, isRegistrant, isValid, retraction } = trust;
  const reason = retraction ? retraction.reason : trust.reason && sentenceOf(trust.reason);
  return {
    state,
    ...(by !== undefined && { by }),
    ...(typeof reason === 'string' && { reason }),
    ...(isRegistrant !== undefined && { by_registrant: isRegistrant }),
    ...(isValid !== undefined && { valid: isValid }),
    ...(retraction && { retraction: retractionAnswer(retraction) }),
  };
}

function retractionAnswer({ statement, time, isSigned }: NonNullable<Trust['retraction']>) {
  const timestamp = time === null ? {} : { timestamp: statementTime(new Date(time)) };
  return { statement, ...timestamp, signed: isSigned };
}
