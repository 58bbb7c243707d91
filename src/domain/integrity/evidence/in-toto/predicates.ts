import { type Evidence, EvidenceProblem, type Thing } from '../evidence.ts';
import { readModelPredicate } from '../model-signing/model-evidence.ts';
import { signaturePredicate } from '../model-signing/signed-model.ts';
import { readLinkPredicate } from './link.ts';
import { readProvenanceV1 } from './provenance-v1.ts';
import { readProvenanceV01, readProvenanceV02 } from './provenance-v02.ts';
import { isSbomPredicate, readSbomPredicate } from './sbom-predicate.ts';
import { readVerificationSummary } from './verification-summary.ts';

/** What a predicate says about the subjects of its statement. @throws EvidenceProblem. */
type PredicateReader = (predicate: object, subjects: readonly Thing[]) => Evidence;

const readers: Readonly<Record<string, PredicateReader>> = {
  'https://slsa.dev/provenance/v1': readProvenanceV1,
  [signaturePredicate]: readModelPredicate,
  'https://slsa.dev/provenance/v0.2': readProvenanceV02,
  'https://in-toto.io/attestation/link/v0.3': readLinkPredicate,
  'https://in-toto.io/Link/v1': readLinkPredicate,
  'https://slsa.dev/provenance/v0.1': readProvenanceV01,
  'https://slsa.dev/verification_summary/v1': readVerificationSummary,
  'https://slsa.dev/verification_summary/v0.2': readVerificationSummary,
};

/** What a statement says. A predicate that nobody reads describes the subjects. @throws EvidenceProblem. */
export function readPredicate(
  {
    predicateType,
    predicate,
  }: { readonly predicateType: string; readonly predicate?: object | string | null | undefined },
  subjects: readonly Thing[],
): Evidence {
  const isSbom = isSbomPredicate(predicateType);
  if (typeof predicate === 'string') {
    // cosign attests SPDX in its notation as text.
    if (!isSbom) throw new EvidenceProblem('The predicate must be an object.', '/predicate');
  } else {
    const read = readers[predicateType];
    if (read) return read(predicate ?? {}, subjects);
    const sbom = predicate && isSbom ? readSbomPredicate(predicate, subjects) : undefined;
    if (sbom) return sbom;
  }
  const document = { predicate_type: predicateType, ...(predicate && { predicate }) };
  return { about: subjects, descriptions: subjects.map((about) => ({ about, document })) };
}
