import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { jcs } from '../../identification/jcs.ts';
import { blake3Digest } from '../../identifiers/hashing.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type Thing } from '../evidence.ts';
import { cyclonedx, cyclonedxVersions } from '../sbom/cyclonedx.ts';
import { spdx2, spdxVersions } from '../sbom/spdx-2.ts';
import { spdx3 } from '../sbom/spdx-3.ts';
import { below } from '../shaped.ts';
import { identified } from '../things.ts';

/** The parts of a product are those of each subject, unless there are very many subjects. */
const subjectsWithParts = 10;

export function isSbomPredicate(predicateType: string): boolean {
  return /^https:\/\/(?:cyclonedx\.org\/bom|spdx\.dev\/Document)(?:\/|$)/.test(predicateType);
}

/**
 * A bill of materials that an in-toto statement has as its predicate: what the subjects are made of.
 * @returns undefined for one in a version, or a notation, that is not read here.
 * @throws EvidenceProblem.
 */
export function readSbomPredicate(predicate: object, subjects: readonly Thing[]): Evidence | undefined {
  const found = sbomIn(predicate as JsonObject);
  if (!found) return undefined;
  const { kind, document, place } = found;
  const blake3 = Buffer.from(blake3Digest(jcs(document))).toString('hex');
  const evidence = below(place, () => readAs(kind, document, blake3));
  const schema = kind.schema?.(document);
  return {
    ...ofSubjects(evidence, distinct(subjects), blake3),
    ...(schema !== undefined && { follows: { schema, document, place } }),
  };
}

interface Sbom {
  readonly kind: EvidenceKind;
  readonly document: JsonObject;
  readonly place: string;
}

function sbomIn(predicate: JsonObject, place = '/predicate'): Sbom | undefined {
  const { bomFormat, specVersion, spdxVersion, Data: data } = predicate;
  const found = (kind: EvidenceKind) => ({ kind, document: predicate, place });
  if (bomFormat !== undefined)
    return cyclonedxVersions.includes(String(specVersion)) ? found(cyclonedx) : undefined;
  if (spdxVersion !== undefined) return spdxVersions.includes(String(spdxVersion)) ? found(spdx2) : undefined;
  if (spdx3.recognises(predicate)) return found(spdx3);
  // Early versions of cosign wrapped predicates.
  return isObject(data) && place === '/predicate' ? sbomIn(data, '/predicate/Data') : undefined;
}

/** The schema is compared afterwards, so whatever is not as it says may be met here. */
function readAs(kind: EvidenceKind, document: JsonObject, blake3: string): Evidence {
  try {
    return kind.read(document, blake3) as Evidence;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new EvidenceProblem(`The predicate is no valid ${kind.title}.`);
  }
}

function distinct(things: readonly Thing[]): Thing[] {
  return [...new Map(things.map((thing) => [identified(thing).id, thing])).values()];
}

/** The subjects stand for the file itself, and include the products that the file describes, with their parts. */
function ofSubjects(evidence: Evidence, subjects: readonly Thing[], blake3: string): Evidence {
  const { about: products, wholes = [], descriptions = [] } = evidence;
  const isFile = ({ digests }: Thing) => digests?.blake3 === blake3;
  const ids = new Set(products.map((product) => identified(product).id));
  const ownParts = wholes
    .filter(({ whole }) => isFile(whole) || ids.has(identified(whole).id))
    .flatMap(({ parts }) => parts);
  const described = products.filter((product) => !isFile(product));
  return {
    ...evidence,
    about: [...subjects, ...described],
    wholes: [
      ...subjects.map((whole, at) => ({
        whole,
        parts: at < subjectsWithParts ? [...described, ...ownParts] : described,
      })),
      ...wholes.filter(({ whole }) => !isFile(whole)),
    ].filter(({ parts }) => parts.length > 0),
    descriptions: descriptions.flatMap((one) =>
      isFile(one.about) ? subjects.map((about) => ({ ...one, about })) : one,
    ),
  };
}
