import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { contentDigests, digestsOf } from '../digests.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type Thing } from '../evidence.ts';
import { asFormat, below } from '../shaped.ts';
import { uriReference } from '../things.ts';
import { Inventory } from './inventory.ts';
import { relate } from './spdx-relations.ts';
import { oneOf, text, utcTime } from './spdx-shape.ts';

const documentId = 'SPDXRef-DOCUMENT';
const elementId = text.startsWith('SPDXRef-');
const checksum = z.object({
  algorithm:
    oneOf(`ADLER32 BLAKE2b-256 BLAKE2b-384 BLAKE2b-512 BLAKE3 MD2 MD4 MD5 MD6 SHA1 SHA224 SHA256 SHA384 SHA512
    SHA3-256 SHA3-384 SHA3-512`),
  checksumValue: text,
});
const externalRef = z.object({
  referenceCategory: oneOf('OTHER PERSISTENT-ID PERSISTENT_ID SECURITY PACKAGE-MANAGER PACKAGE_MANAGER'),
  referenceType: text,
  referenceLocator: text,
});
const relationshipType =
  oneOf(`AMENDS ANCESTOR_OF BUILD_DEPENDENCY_OF BUILD_TOOL_OF CONTAINED_BY CONTAINS COPY_OF
  DATA_FILE_OF DEPENDENCY_MANIFEST_OF DEPENDENCY_OF DEPENDS_ON DESCENDANT_OF DESCRIBED_BY DESCRIBES DEV_DEPENDENCY_OF
  DEV_TOOL_OF DISTRIBUTION_ARTIFACT DOCUMENTATION_OF DYNAMIC_LINK EXAMPLE_OF EXPANDED_FROM_ARCHIVE FILE_ADDED FILE_DELETED
  FILE_MODIFIED GENERATED_FROM GENERATES HAS_PREREQUISITE METAFILE_OF OPTIONAL_COMPONENT_OF OPTIONAL_DEPENDENCY_OF OTHER
  PACKAGE_OF PATCH_APPLIED PATCH_FOR PREREQUISITE_FOR PROVIDED_DEPENDENCY_OF REQUIREMENT_DESCRIPTION_FOR
  RUNTIME_DEPENDENCY_OF SPECIFICATION_FOR STATIC_LINK TEST_CASE_OF TEST_DEPENDENCY_OF TEST_OF TEST_TOOL_OF VARIANT_OF`);

const packageShape = z.looseObject({
  SPDXID: elementId,
  name: text,
  versionInfo: text.optional(),
  downloadLocation: text,
  checksums: z.array(checksum).optional(),
  externalRefs: z.array(externalRef).optional(),
  hasFiles: z.array(text).optional(),
});
const fileShape = z.looseObject({ SPDXID: elementId, fileName: text, checksums: z.array(checksum).min(1) });

export const spdxVersions = ['SPDX-2.2', 'SPDX-2.3'];

/** What is read of a document, as the schemas of SPDX 2.2 and 2.3 have it. */
const shape = z.looseObject({
  spdxVersion: oneOf(spdxVersions.join(' ')),
  SPDXID: z.literal(documentId),
  name: text,
  dataLicense: text,
  documentNamespace: z.url(),
  creationInfo: z.looseObject({ created: utcTime, creators: z.array(text).min(1) }),
  externalDocumentRefs: z
    .array(
      z.looseObject({ externalDocumentId: text.startsWith('DocumentRef-'), spdxDocument: text, checksum }),
    )
    .optional(),
  documentDescribes: z.array(text).optional(),
  packages: z.array(packageShape).optional(),
  files: z.array(fileShape).optional(),
  relationships: z
    .array(z.looseObject({ spdxElementId: text, relationshipType, relatedSpdxElement: text }))
    .optional(),
});

type Document = z.output<typeof shape>;

/** SPDX 2.2 and 2.3 in JSON. */
export const spdx2: EvidenceKind = {
  name: 'spdx-2',
  title: 'SPDX 2 document',
  recognises: (document) => typeof unwrapped(document).spdxVersion === 'string',
  read: (document, blake3) =>
    below('sbom' in document ? '/sbom' : '', () =>
      evidenceOf(asFormat('SPDX 2', shape, unwrapped(document)), blake3),
    ),
};

/** The API of GitHub wraps it. */
function unwrapped(document: JsonObject): JsonObject {
  return isObject(document.sbom) ? document.sbom : document;
}

function evidenceOf(document: Document, blake3: string): Evidence {
  const { packages = [], files = [], relationships = [], creationInfo } = document;
  const inventory = new Inventory((id) => undescribed(id, document));
  inventory.add(documentId, { name: document.name, digests: { blake3 } });
  const add = (id: string, place: string, thing: Thing, said: Readonly<Record<string, unknown>>) => {
    if (inventory.has(id)) throw new EvidenceProblem(`The SPDXID "${id}" is used twice.`, `${place}/SPDXID`);
    inventory.add(id, thing, said);
  };
  for (const [at, one] of packages.entries())
    add(one.SPDXID, `/packages/${at}`, packageThing(one, document, `/packages/${at}`), { package: one });
  for (const [at, one] of files.entries()) {
    const reference = { namespace: document.documentNamespace, name: one.SPDXID };
    const digests = checksumsOf(one.checksums, `/files/${at}/checksums`);
    add(one.SPDXID, `/files/${at}`, { name: one.fileName, digests, reference }, { file: one });
  }
  for (const { SPDXID, hasFiles = [] } of packages) inventory.includes(SPDXID, hasFiles);
  const described = new Set(document.documentDescribes);
  for (const { spdxElementId: first, relationshipType: type, relatedSpdxElement: second } of relationships) {
    if (nothing.has(second)) continue;
    if (type === 'DESCRIBES' && first === documentId) described.add(second);
    else if (type === 'DESCRIBED_BY' && second === documentId) described.add(first);
    else relate(inventory, 'spdx2', first, type, second);
  }
  if (described.size === 0) {
    inventory.say(documentId, { creationInfo });
    inventory.includes(
      documentId,
      [...packages, ...files].map(({ SPDXID }) => SPDXID),
    );
  }
  return {
    time: creationInfo.created,
    about: inventory.things(described),
    wholes: inventory.wholes(),
    steps: inventory.steps(),
    descriptions: inventory.descriptions(),
  };
}

const nothing = new Set(['NONE', 'NOASSERTION']);

function packageThing(
  { SPDXID, name, versionInfo, checksums = [], externalRefs = [] }: z.output<typeof packageShape>,
  { documentNamespace: namespace }: Document,
  place: string,
): Thing {
  const purl = externalRefs.find(({ referenceType }) => referenceType === 'purl')?.referenceLocator;
  const locators = externalRefs.map(({ referenceLocator }) => referenceLocator);
  return {
    name: [name, versionInfo].filter(Boolean).join('@'),
    digests: { ...contentDigests(locators), ...checksumsOf(checksums, `${place}/checksums`) },
    reference: purl === undefined ? { namespace, name: SPDXID } : uriReference(purl),
  };
}

function checksumsOf(checksums: readonly z.output<typeof checksum>[], place: string): Record<string, string> {
  const hashes = checksums.map(({ algorithm, checksumValue: value }) => ({ algorithm, value }));
  return digestsOf(hashes, place);
}

/** An element of another document, or one that is missing from this. */
function undescribed(id: string, { documentNamespace, externalDocumentRefs = [] }: Document): Thing {
  const [, document, element] = /^(DocumentRef-[^:]+):(.+)$/.exec(id) ?? [];
  const other = externalDocumentRefs.find(({ externalDocumentId }) => externalDocumentId === document);
  const isOther = other !== undefined && element !== undefined;
  return {
    reference: isOther
      ? { namespace: other.spdxDocument, name: element }
      : { namespace: documentNamespace, name: id },
  };
}
