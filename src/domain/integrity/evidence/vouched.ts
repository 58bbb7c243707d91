import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { parseUtcTime } from '../identifiers/timestamp.ts';
import type { Canonicalizer } from '../proofs/proof.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type SignedFile } from './evidence.ts';
import { sigstoreBundle } from './in-toto/bundle.ts';
import { dsseEnvelope } from './in-toto/envelope.ts';
import { isModelBundle } from './model-signing/model-bundle.ts';
import { modelSigning } from './model-signing/model-evidence.ts';
import { derive } from './statements.ts';
import { identified } from './things.ts';

/**
 * The ids of the statements that an envelope or a bundle vouches for: those that follow from it, with the registrant and the time
 * of the statement that carries it. So an import needs no record of what was signed.
 */
export async function vouchedFor(
  signed: SignedFile,
  { registeredBy, timestamp }: JsonObject,
  identifier: Canonicalizer,
): Promise<string[]> {
  const time = typeof timestamp === 'string' ? parseUtcTime(timestamp) : null;
  if (typeof registeredBy !== 'string' || time === null) return [];
  const by = { registeredBy, time: new Date(time) };
  const idsOf = async (statements: readonly JsonObject[]) => {
    const texts = statements.map((statement) => Buffer.from(JSON.stringify(statement)));
    const graphs = await identifier.canonicalNQuads(texts);
    return graphs.map((nquads) => cidUrn(cidOf(codecs.rdfc, nquads)));
  };
  return await ofEvidence(signed, async (evidence) => idsOf((await derive(evidence, by, idsOf)).statements));
}

/** The ids of the things that a bundle is about. */
export async function signedThings(bundle: JsonObject): Promise<string[]> {
  return await ofEvidence({ bundle }, async ({ about, steps = [] }) =>
    [...about, ...steps.flatMap(({ outputs }) => outputs)].map((thing) => identified(thing).id),
  );
}

/** Nothing if it is no evidence. */
async function ofEvidence(
  signed: SignedFile,
  work: (evidence: Evidence) => Promise<string[]>,
): Promise<string[]> {
  const document = 'envelope' in signed ? signed.envelope : signed.bundle;
  try {
    const evidence = [await checkedKind(signed).read(document, '')].flat();
    return (await Promise.all(evidence.map(work))).flat();
  } catch (error) {
    if (error instanceof EvidenceProblem) return [];
    // A statement that nobody accepts vouches for nothing.
    if (error instanceof ServiceError && error.code !== 'unavailable') return [];
    throw error;
  }
}

/** The format whose signature is checked. Members of other formats may stand beside it, which nobody has signed. */
function checkedKind(signed: SignedFile): EvidenceKind {
  if ('envelope' in signed) return dsseEnvelope;
  return isModelBundle(signed.bundle) ? modelSigning : sigstoreBundle;
}
