import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { EvidenceProblem } from '../evidence.ts';
import { asFormat } from '../shaped.ts';
import { oneOf, text, utcTime } from './spdx-shape.ts';

/** Elements of the model itself, as the context of SPDX abbreviates them. */
const individual =
  /^(?:NoneElement|NoAssertionElement|SpdxOrganization|expandedlicensing_(?:None|NoAssertion)License)$/;
const iri = text.refine((id) => /^(?:[a-z][a-z0-9+.-]*:|_:)\S*$/i.test(id) || individual.test(id), {
  error: 'must be an IRI or a blank node',
});
/** An element can be written where it is referred to. */
const link = z.union([iri, z.looseObject({ spdxId: iri }).transform(({ spdxId }) => spdxId)], {
  error: 'must be an IRI, or an element with an spdxId',
});

const hash = z.looseObject({
  type: z.literal('Hash'),
  algorithm:
    oneOf(`adler32 blake2b256 blake2b384 blake2b512 blake3 crystalsDilithium crystalsKyber falcon md2 md4 md5 md6
    other sha1 sha224 sha256 sha3_224 sha3_256 sha3_384 sha3_512 sha384 sha512`),
  hashValue: text.min(1),
});
/** Of several kinds; only hashes of the thing itself tell its bytes. */
const integrityMethod = z.union([hash, z.looseObject({ type: text.refine((type) => type !== 'Hash') })], {
  error: 'must be a Hash with a known algorithm and a hashValue, or another IntegrityMethod',
});

const creationInfo = z.looseObject({
  specVersion: text.regex(/^3\.0\.\d+/, 'is no version 3.0'),
  created: utcTime,
  createdBy: z.array(z.union([iri, z.looseObject({})])).min(1),
});

const relationshipType =
  oneOf(`affects amendedBy ancestorOf availableFrom configures contains coordinatedBy copiedTo
  delegatedTo dependsOn descendantOf describes doesNotAffect expandsTo exploitCreatedBy fixedBy fixedIn foundBy generates
  hasAddedFile hasAssessmentFor hasAssociatedVulnerability hasConcludedLicense hasDataFile hasDeclaredLicense hasDeletedFile
  hasDependencyManifest hasDistributionArtifact hasDocumentation hasDynamicLink hasEvidence hasExample hasHost hasInput
  hasMetadata hasOptionalComponent hasOptionalDependency hasOutput hasPrerequisite hasProvidedDependency hasRequirement
  hasSpecification hasStaticLink hasTest hasTestCase hasVariant invokedBy modifiedBy other packagedBy patchedBy publishedBy
  reportedBy republishedBy serializedInArtifact testedOn trainedOn underInvestigationFor usesTool`);

const elementShape = z.looseObject({
  type: text,
  spdxId: iri,
  creationInfo: z.union([iri, creationInfo]),
  name: text.optional(),
  rootElement: z.array(link).optional(),
  verifiedUsing: z.array(integrityMethod).optional(),
  externalIdentifier: z.array(z.looseObject({ externalIdentifierType: text, identifier: text })).optional(),
  simplelicensing_licenseExpression: text.optional(),
  software_packageUrl: text.optional(),
  software_packageVersion: text.optional(),
  software_contentIdentifier: z.array(z.looseObject({ software_contentIdentifierValue: text })).optional(),
});
const relationshipShape = elementShape.extend({
  from: link,
  to: z.array(link).min(1),
  relationshipType,
  scope: oneOf('build design development other runtime test').optional(),
});
const dictionary = z.array(z.looseObject({ key: text, value: text.optional() })).optional();
const buildShape = elementShape.extend({
  build_buildType: text,
  build_buildId: text.optional(),
  build_buildStartTime: utcTime.optional(),
  build_buildEndTime: utcTime.optional(),
  build_parameter: dictionary,
  build_environment: dictionary,
});

type Element = z.output<typeof elementShape>;
export type Relationship = z.output<typeof relationshipShape>;
export type Build = z.output<typeof buildShape>;

export interface SpdxGraph {
  readonly elements: ReadonlyMap<string, Element>;
  /** JSON pointers of the elements. */
  readonly places: ReadonlyMap<string, string>;
  readonly relationships: readonly Relationship[];
  readonly builds: readonly Build[];
  readonly created: string;
}

/** The elements of a document. @throws EvidenceProblem for what SPDX 3.0 calls invalid, as far as it is read. */
export function spdxGraph(document: JsonObject): SpdxGraph {
  const graph = {
    elements: new Map<string, Element>(),
    places: new Map<string, string>(),
    relationships: [] as Relationship[],
    builds: [] as Build[],
  };
  const infos = new Map<string, string>();
  const nodes = [...nodesOf(document['@graph'] ?? document, document['@graph'] ? '/@graph' : '')];
  for (const { node, place } of nodes) {
    if (node.type === 'CreationInfo') {
      const { created } = at(place, creationInfo, node);
      infos.set(String(node['@id'] ?? ''), created);
      continue;
    }
    const element = at(place, shapeOf(node), node);
    const { spdxId } = element;
    if (graph.elements.has(spdxId))
      throw new EvidenceProblem(`The spdxId "${spdxId}" is used twice.`, `${place}/spdxId`);
    graph.elements.set(spdxId, element);
    graph.places.set(spdxId, place);
    if (isRelationship(node)) graph.relationships.push(element as Relationship);
    if (node.type === 'build_Build') graph.builds.push(element as Build);
  }
  return { ...graph, created: createdOf(graph.elements.values(), infos) };
}

function createdOf(elements: Iterable<Element>, infos: ReadonlyMap<string, string>): string {
  const all = [...elements];
  const [first] = [...all.filter(({ type }) => type === 'SpdxDocument'), ...all];
  for (const { creationInfo: info, spdxId } of all)
    if (typeof info === 'string' && !infos.has(info))
      throw new EvidenceProblem(`The creationInfo "${info}" of ${spdxId} is not in the document.`, '');
  if (!first) throw new EvidenceProblem('The document has no elements.', '/@graph');
  return typeof first.creationInfo === 'string'
    ? (infos.get(first.creationInfo) ?? '')
    : first.creationInfo.created;
}

function isRelationship({ type, relationshipType: kind }: JsonObject): boolean {
  return kind !== undefined || String(type).endsWith('Relationship');
}

function shapeOf(node: JsonObject): z.ZodType<Element> {
  if (isRelationship(node)) return relationshipShape;
  return node.type === 'build_Build' ? buildShape : elementShape;
}

function at<Shape>(place: string, shape: z.ZodType<Shape>, node: JsonObject): Shape {
  try {
    return asFormat('SPDX 3', shape, node);
  } catch (error) {
    if (!(error instanceof EvidenceProblem)) throw error;
    const id = typeof node.spdxId === 'string' ? ` It is the element ${node.spdxId.slice(0, 200)}.` : '';
    throw new EvidenceProblem(error.message + id, place + error.place);
  }
}

/** The nodes of a graph with a type, also those that stand inside of others and have ids. */
function* nodesOf(
  value: unknown,
  place: string,
  isNested = false,
): Generator<{ node: JsonObject; place: string }> {
  if (Array.isArray(value)) {
    for (const [index, one] of value.entries()) yield* nodesOf(one, `${place}/${index}`, isNested);
  } else if (isObject(value)) {
    if (!isNested || value.spdxId !== undefined || value.type === 'CreationInfo')
      yield { node: value, place };
    for (const [name, one] of Object.entries(value))
      if (typeof one === 'object') yield* nodesOf(one, `${place}/${name}`, true);
  } else if (!isNested) {
    throw new EvidenceProblem('A node of the graph is no object.', place);
  }
}
