import type { JsonObject } from '../../../json/is-object.ts';
import type { Evidence, EvidenceKind, Thing } from '../evidence.ts';
import { isModelBundle, readModelBundle } from './model-bundle.ts';
import { modelFolder, modelThing, onlyDigest } from './model-thing.ts';
import { readSignedModel, type SignedModel, signaturePredicate, statementType } from './signed-model.ts';

/** Signed models (OpenSSF Model Signing 1.0 and the versions before it). */
export const modelSigning: EvidenceKind = {
  name: 'model-signing',
  title: 'model signature',
  recognises: isModelBundle,
  read: readModel,
};

function readModel(bundle: JsonObject): Evidence {
  return { ...evidenceOf(readModelBundle(bundle).model), signature: { bundle } };
}

/** What the statement in a model signature says without its bundle. @throws EvidenceProblem. */
export function readModelPredicate(predicate: object, subjects: readonly Thing[]): Evidence {
  const subject = subjects.map(({ name, digests }) => ({ name, digest: digests }));
  const statement = { _type: statementType, subject, predicateType: signaturePredicate, predicate };
  return evidenceOf(readSignedModel(statement));
}

function evidenceOf(model: SignedModel): Evidence {
  const isFolder = onlyDigest(model) === undefined;
  return { about: [modelThing(model)], ...(isFolder && { folders: [modelFolder(model)] }) };
}
