import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { parseStrictJson } from '../../../json/strict-json.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem } from '../evidence.ts';
import { isList } from '../file-form.ts';
import { below, shaped } from '../shaped.ts';
import { readBundle } from './bundle.ts';
import { readEnvelope } from './envelope.ts';
import {
  isPypiAttestation,
  isPypiProvenance,
  readPypiAttestation,
  readPypiProvenance,
} from './pypi-attestation.ts';

const some = z.looseObject({});

const attestationList = z.looseObject({
  attestations: z.array(z.looseObject({ bundle: some })).min(1),
});

/** Sigstore bundles as the registry of npm, the API of GitHub and PyPI answer them. */
export const attestations: EvidenceKind = {
  name: 'attestations',
  title: 'attestations (npm, GitHub, PyPI)',
  recognises: (document) =>
    Array.isArray(document.attestations) || isPypiAttestation(document) || isPypiProvenance(document),
  parse: async (bytes) => verifiedList(bytes),
  read: (document) => {
    if (isPypiAttestation(document)) return readPypiAttestation(document);
    if (isPypiProvenance(document)) return readPypiProvenance(document);
    const { attestations: list } = shaped(attestationList, document, 'The list of attestations');
    return list.map(({ bundle }, at) => below(`/attestations/${at}/bundle`, () => readBundle(bundle)));
  },
};

const listDepth = 64;

/** What `gh attestation verify --format json` prints: a list of what was verified. */
function verifiedList(bytes: Uint8Array): JsonObject | undefined {
  if (!isList(bytes)) return undefined;
  const list = parseStrictJson(bytes, { maxDepth: listDepth, exactNumbers: false });
  const verified = Array.isArray(list) ? list : [];
  const bundles = verified.map((one) => (isObject(one) && isObject(one.attestation) ? one.attestation : one));
  const hasBundles = bundles.length > 0 && bundles.every((one) => isObject(one) && isObject(one.bundle));
  return hasBundles ? { attestations: bundles } : undefined;
}

const provenanceOfImage = z.looseObject({
  provenance_summary: z.looseObject({
    provenance: z
      .array(
        z.looseObject({
          kind: z.literal('BUILD'),
          envelope: some,
          build: z.looseObject({ intotoStatement: some.nullish() }),
        }),
      )
      .min(1),
  }),
});

/** Provenance of container images, as `gcloud artifacts docker images describe --show-provenance` prints it. */
export const gcloudProvenance: EvidenceKind = {
  name: 'gcloud-provenance',
  title: 'provenance of Google Cloud Build',
  recognises: ({ provenance_summary: summary }) => summary !== undefined,
  read: (document) => {
    const { provenance_summary: summary } = shaped(provenanceOfImage, document, 'The provenance');
    return summary.provenance.map(({ envelope, build }, at) => {
      const place = `/provenance_summary/provenance/${at}`;
      const evidence = below(`${place}/envelope`, () => readEnvelope(envelope));
      assertSameSubjects(evidence, build.intotoStatement?.subject, `${place}/build/intotoStatement/subject`);
      return evidence;
    });
  },
};

/** The file repeats in plain text what is signed. @throws EvidenceProblem if they differ. */
function assertSameSubjects({ about, steps = [] }: Evidence, plain: unknown, place: string): void {
  if (!Array.isArray(plain)) return;
  const signed = [...about, ...steps.flatMap(({ outputs }) => outputs)].map(({ digests }) => digests?.sha256);
  const isSigned = plain.every((one) => signed.includes(one?.digest?.sha256));
  if (!isSigned) throw new EvidenceProblem('The text names other subjects than the signed envelope.', place);
}
