import type { JsonObject } from '../../../json/is-object.ts';
import { contentDigests, digestsOf } from '../digests.ts';
import type { Evidence, EvidenceKind, Step, Thing } from '../evidence.ts';
import { uriReference } from '../things.ts';
import { Inventory } from './inventory.ts';
import { type Build, type Relationship, type SpdxGraph, spdxGraph } from './spdx-3-graph.ts';
import { relate } from './spdx-relations.ts';

const context = /^https:\/\/spdx\.org\/rdf\/3\.\d+\.\d+\/spdx-context\.jsonld$/;

/** SPDX 3.0 in JSON-LD, as the specification serializes it. */
export const spdx3: EvidenceKind = {
  name: 'spdx-3',
  title: 'SPDX 3 document',
  recognises: ({ '@context': contexts }) =>
    [contexts].flat().some((one) => typeof one === 'string' && context.test(one)),
  read: (document, blake3) => new Reading(spdxGraph(document), blake3).evidence(),
};

/** What a document about a thing is called, by the start of its type. */
const things: Readonly<Record<string, string>> = {
  software_Package: 'package',
  software_File: 'file',
  software_Snippet: 'snippet',
  ai_AIPackage: 'model',
  dataset_DatasetPackage: 'dataset',
};
const collections = new Set(['SpdxDocument', 'Bom', 'Bundle', 'software_Sbom']);
/** What is needed to develop or to test a thing is no part of it. */
const otherScopes = new Set(['development', 'test']);
/** Elements that stand for no element, or for one that nobody knows. */
const noElement = /^(?:https:\/\/spdx\.org\/rdf\/[\d.]+\/terms\/Core\/)?(?:None|NoAssertion)Element$/;
/** In the place of another way to verify a thing. */
const notHashed = { algorithm: '', value: '' };
const assessment = /^security_(?:Vex|Cvss).*VulnAssessmentRelationship$/;
const licensing = new Set(['hasConcludedLicense', 'hasDeclaredLicense']);
const listedLicense = /^https?:\/\/spdx\.org\/licenses\/([\w.+-]+)$/;
/** As the context abbreviates it, and as it stands in the model. */
const noLicense = /(?:^expandedlicensing_|\/ExpandedLicensing\/)(None|NoAssertion)License$/;

class Reading {
  readonly #graph: SpdxGraph;
  readonly #inventory = new Inventory((id) => this.#thing(id));
  readonly #file: Thing;

  constructor(graph: SpdxGraph, blake3: string) {
    this.#graph = graph;
    this.#file = { name: 'SPDX 3 document', digests: { blake3 } };
  }

  evidence(): Evidence {
    const { elements, relationships, builds, created } = this.#graph;
    const artefacts = [...elements.values()].filter(({ type }) => type in things);
    for (const one of artefacts)
      this.#inventory.add(one.spdxId, this.#thing(one.spdxId), { [things[one.type] ?? '']: one });
    const roots = this.#roots();
    for (const one of relationships) this.#relate(one);
    if (roots.length === 0 && artefacts.length > 0) {
      this.#inventory.add('', this.#file);
      this.#inventory.includes(
        '',
        artefacts.map(({ spdxId }) => spdxId),
      );
    }
    return {
      time: created,
      about: roots.length === 0 && artefacts.length === 0 ? [this.#file] : this.#inventory.things(roots),
      wholes: this.#inventory.wholes(),
      steps: [...builds.flatMap((build) => this.#build(build)), ...this.#inventory.steps()],
      descriptions: this.#inventory.descriptions(),
    };
  }

  /** What the document is about: its root elements, and those of collections in it. */
  #roots(): string[] {
    const { elements, relationships } = this.#graph;
    const roots = new Set<string>();
    const documents = [...elements.values()].filter(({ type }) => type === 'SpdxDocument');
    const described = relationships.filter(
      (one) => one.relationshipType === 'describes' && this.#isCollection(one.from),
    );
    const open = [
      ...documents.flatMap(({ rootElement = [] }) => rootElement),
      ...described.flatMap(({ to }) => to),
    ];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (roots.has(id)) continue;
      roots.add(id);
      open.push(...(elements.get(id)?.rootElement ?? []));
    }
    return [...roots].filter((id) => !this.#isCollection(id)).toReversed();
  }

  #isCollection(id: string): boolean {
    return collections.has(this.#graph.elements.get(id)?.type ?? '');
  }

  #relate(relationship: Relationship): void {
    const { type, from, relationshipType, scope = '' } = relationship;
    const to = existing(relationship);
    const isOfBuild = this.#graph.elements.get(from)?.type === 'build_Build';
    if (isOfBuild || otherScopes.has(scope) || this.#isCollection(from)) return;
    if (assessment.test(type))
      for (const id of to) this.#say(id, { ...this.#graph.elements.get(from), assessment: relationship });
    else if (relationshipType === 'hasAssociatedVulnerability')
      for (const id of to) this.#say(from, this.#graph.elements.get(id) ?? { spdxId: id });
    else if (licensing.has(relationshipType))
      this.#inventory.say(from, { licenses: to.map((id) => ({ expression: this.#license(id) })) });
    else for (const id of to) relate(this.#inventory, 'spdx3', from, relationshipType, id);
  }

  #say(id: string, vulnerability: JsonObject): void {
    this.#inventory.say(id, { vulnerabilities: [vulnerability] });
  }

  /** A license expression, the id of a listed license, or a name. */
  #license(id: string): string {
    const { simplelicensing_licenseExpression: expression, name } = this.#graph.elements.get(id) ?? {};
    const [, word] = noLicense.exec(id) ?? [];
    const [, listed] = listedLicense.exec(id) ?? [];
    return expression ?? word?.toUpperCase() ?? listed ?? name ?? id;
  }

  #thing(id: string): Thing {
    const element = this.#graph.elements.get(id);
    if (!element) return { reference: uriReference(id) };
    const { name, software_packageVersion: version, software_packageUrl, externalIdentifier = [] } = element;
    const { verifiedUsing = [], software_contentIdentifier: contents = [] } = element;
    const other = externalIdentifier.find(({ externalIdentifierType: kind }) => kind === 'packageUrl');
    const hashes = verifiedUsing.map((method) =>
      'algorithm' in method && method.type === 'Hash'
        ? { algorithm: String(method.algorithm), value: String(method.hashValue) }
        : notHashed,
    );
    const identifiers = [
      ...externalIdentifier.map(({ identifier }) => identifier),
      ...contents.map((one) => one.software_contentIdentifierValue),
    ];
    return {
      name: [name ?? element.type, version].filter(Boolean).join('@'),
      digests: {
        ...contentDigests(identifiers),
        ...digestsOf(hashes, `${this.#graph.places.get(id)}/verifiedUsing`),
      },
      reference: uriReference(software_packageUrl ?? other?.identifier ?? id),
    };
  }

  #build(build: Build): Step[] {
    const ends = (type: string) =>
      this.#graph.relationships
        .filter(({ from, relationshipType }) => from === build.spdxId && relationshipType === type)
        .flatMap(existing);
    const [inputs, tools, outputs] = [ends('hasInput'), ends('usesTool'), ends('hasOutput')];
    if (inputs.length + outputs.length === 0) return [];
    const [tool, another] = tools;
    const [host] = ends('hasHost');
    const isProgram = tool !== undefined && another === undefined;
    return [
      {
        inputs: this.#inventory.things(isProgram ? inputs : [...inputs, ...tools]),
        outputs: this.#inventory.things(outputs),
        ...(isProgram && { program: this.#inventory.thing(tool) }),
        ...(host !== undefined && { machine: this.#thing(host).name ?? host }),
        facts: factsOf(build),
      },
    ];
  }
}

function existing({ to }: Relationship): string[] {
  return to.filter((id) => !noElement.test(id));
}

function factsOf(build: Build): Step['facts'] {
  const {
    name,
    build_buildType: type,
    build_buildId: id,
    build_parameter,
    build_environment: environment,
  } = build;
  const { build_buildStartTime: started, build_buildEndTime: ended } = build;
  const parameters =
    build_parameter && Object.fromEntries(build_parameter.map(({ key, value }) => [key, value ?? null]));
  const duration = (Date.parse(ended ?? '') - Date.parse(started ?? '')) / 1000;
  return {
    name: name ?? id ?? type,
    ...(started !== undefined && { started }),
    ...(duration >= 0 && { duration }),
    ...(environment && {
      environment: Object.fromEntries(environment.map(({ key, value }) => [key, value ?? null])),
    }),
    metadata: { type, ...(id !== undefined && { id }), ...(parameters && { parameters }) },
  };
}
