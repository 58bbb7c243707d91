import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import type { Evidence } from '../evidence.ts';
import { below, shaped } from '../shaped.ts';
import { readBundle } from './bundle.ts';
import { bundleType } from './envelope.ts';

const text = z.string();
const some = z.looseObject({});

/** Attestation objects of version 1 (https://peps.python.org/pep-0740/). */
const attestation = z.looseObject({
  version: z.literal(1),
  verification_material: z.looseObject({ certificate: text, transparency_entries: z.array(some).min(1) }),
  envelope: z.looseObject({ statement: text, signature: text }),
});

/** Provenance objects of version 1, as the Integrity API of PyPI answers them. */
const provenance = z.looseObject({
  version: z.literal(1),
  attestation_bundles: z.array(z.looseObject({ attestations: z.array(some).min(1) })).min(1),
});

export function isPypiAttestation({ verification_material: material, envelope }: JsonObject): boolean {
  return isObject(material) && isObject(envelope);
}

export function isPypiProvenance({ attestation_bundles: bundles }: JsonObject): boolean {
  return Array.isArray(bundles);
}

/** @throws EvidenceProblem. */
export function readPypiProvenance(document: JsonObject): Evidence[] {
  const { attestation_bundles: bundles } = shaped(provenance, document, 'The provenance of PyPI');
  return bundles.flatMap(({ attestations }, bundle) =>
    attestations.map((one, at) =>
      below(`/attestation_bundles/${bundle}/attestations/${at}`, () => readPypiAttestation(one)),
    ),
  );
}

/** It has what a Sigstore bundle has, under other names. @throws EvidenceProblem. */
export function readPypiAttestation(document: JsonObject): Evidence {
  const { verification_material: material, envelope } = shaped(
    attestation,
    document,
    'The attestation of PyPI',
  );
  return readBundle({
    mediaType: bundleType,
    verificationMaterial: {
      certificate: { rawBytes: material.certificate },
      tlogEntries: material.transparency_entries,
    },
    dsseEnvelope: {
      payloadType: 'application/vnd.in-toto+json',
      payload: envelope.statement,
      signatures: [{ sig: envelope.signature }],
    },
  });
}
