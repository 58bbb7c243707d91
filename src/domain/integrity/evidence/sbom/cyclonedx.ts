import { contentDigests, digestsOf } from '../digests.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type Thing } from '../evidence.ts';
import { folderUrn, uriReference } from '../things.ts';
import type { Bom, Component, Dataset, ExternalReference } from './cyclonedx-bom.ts';
import { formulationSteps, type Resources } from './cyclonedx-formulation.ts';
import { Inventory } from './inventory.ts';

export const cyclonedxVersions = ['1.4', '1.5', '1.6', '1.7'];

/** CycloneDX (ECMA-424) in JSON. XML is brought into this form before. */
export const cyclonedx: EvidenceKind = {
  name: 'cyclonedx',
  title: 'CycloneDX bill of materials',
  recognises: (document) => 'bomFormat' in document,
  schema({ specVersion }) {
    if (cyclonedxVersions.includes(String(specVersion))) return `cyclonedx-${specVersion}`;
    const known = `Cairn reads ${cyclonedxVersions.join(', ')}.`;
    const problem =
      specVersion === undefined
        ? 'specVersion is missing.'
        : `"${String(specVersion).slice(0, 100)}" is no version of CycloneDX that is read here.`;
    throw new EvidenceProblem(`${problem} ${known}`, '/specVersion');
  },
  read: (document, blake3) => new Reading(document as unknown as Bom, blake3).evidence(),
};

/** The components of a file without a subject are parts of the file itself. */
const fileId = '';

class Reading {
  readonly #bom: Bom;
  /** Where names that mean nothing elsewhere belong: the BOM-Link of the file, or else its digest. */
  readonly #namespace: string;
  readonly #inventory = new Inventory((ref) => this.#undescribed(ref));

  constructor(bom: Bom, blake3: string) {
    this.#bom = bom;
    const serial = /^urn:uuid:(.+)$/.exec(bom.serialNumber ?? '')?.[1];
    const link = `urn:cdx:${serial?.toLowerCase()}/${bom.version ?? 1}`;
    this.#namespace = serial === undefined ? `blake3:${blake3}` : link;
    this.#inventory.add(fileId, { name: cyclonedx.title, digests: { blake3 } });
  }

  evidence(): Evidence {
    const { metadata = {}, components, services, dependencies = [], formulation = [] } = this.#bom;
    const subject = metadata.component ? this.#component(metadata.component, '/metadata/component') : fileId;
    if (subject === fileId) this.#inventory.say(fileId, { metadata });
    const parts = [...this.#all(components, '/components'), ...this.#all(services, '/services')];
    this.#inventory.includes(subject, parts);
    for (const [at, formula] of formulation.entries()) {
      this.#all(formula.components, `/formulation/${at}/components`);
      this.#all(formula.services, `/formulation/${at}/services`);
    }
    for (const { ref, dependsOn = [] } of dependencies) this.#inventory.includes(ref, dependsOn);
    this.#vulnerabilities(subject);
    const resources: Resources = {
      byRef: (ref) => this.#inventory.thing(this.#local(ref)),
      external: (reference, place) => external(reference, place),
    };
    const steps = formulation.flatMap(({ workflows = [] }, at) =>
      formulationSteps(workflows, `/formulation/${at}/workflows`, resources),
    );
    return {
      ...(metadata.timestamp !== undefined && { time: metadata.timestamp }),
      about: subject === fileId ? [] : [this.#inventory.thing(subject)],
      wholes: this.#inventory.wholes(),
      steps: [...steps, ...this.#inventory.steps()],
      descriptions: this.#inventory.descriptions(),
      listsVulnerabilities: listsVulnerabilities(this.#bom),
    };
  }

  /** @returns the ids of components or services. */
  #all(components: readonly Component[] = [], place: string): string[] {
    return components.map((component, at) => this.#component(component, `${place}/${at}`));
  }

  #component(component: Component, place: string): string {
    const { components, services, pedigree, modelCard, ...said } = component;
    const id = component['bom-ref'] ?? `\0${place}`;
    if (this.#inventory.has(id))
      throw new EvidenceProblem(`The bom-ref "${id}" is used twice.`, `${place}/bom-ref`);
    const document = { ...said, ...(pedigree && { pedigree }), ...(modelCard && { modelCard }) };
    this.#inventory.add(id, this.#thing(component, place), { component: document });
    const parts = [
      ...this.#all(components, `${place}/components`),
      ...this.#all(services, `${place}/services`),
    ];
    this.#inventory.includes(id, parts);
    const ancestors = this.#all(pedigree?.ancestors, `${place}/pedigree/ancestors`);
    this.#inventory.isMadeFrom(id, ancestors, 'Modification');
    const datasets = modelCard?.modelParameters?.datasets ?? [];
    const data = datasets.map((dataset, at) =>
      this.#dataset(dataset, `${place}/modelCard/modelParameters/datasets/${at}`),
    );
    this.#inventory.isMadeFrom(id, data, 'Training');
    return id;
  }

  #thing(component: Component, place: string): Thing {
    const { group = '', name, version = '', purl, hashes, swhid = [], omniborId = [] } = component;
    const whole = [group, name].filter(Boolean).join('/');
    const ref = component['bom-ref'];
    const own = { namespace: this.#namespace, name: ref ?? whole, ...(!ref && version && { version }) };
    const known = {
      ...contentDigests([...swhid, ...omniborId]),
      ...(hashes ? digests(hashes, `${place}/hashes`) : archiveDigests(component, place)),
    };
    const id = folderUrn(ref, known);
    return {
      name: [whole, version].filter(Boolean).join('@'),
      ...(id === undefined ? { digests: known } : { id }),
      reference: purl ? uriReference(purl) : own,
    };
  }

  #dataset({ ref, name = '', contents, ...rest }: Dataset, place: string): string {
    if (ref !== undefined) return this.#local(ref);
    const id = rest['bom-ref'] ?? `\0${place}`;
    const own = { namespace: this.#namespace, name: rest['bom-ref'] ?? (name || place) };
    const reference = contents?.url ? uriReference(contents.url) : own;
    this.#inventory.add(
      id,
      { name: name || reference.name, reference },
      { dataset: { ...rest, name, ...(contents && { contents }) } },
    );
    return id;
  }

  /** What is found in a component stands in the document about it; what affects nothing is about the subject. */
  #vulnerabilities(subject: string): void {
    for (const vulnerability of this.#bom.vulnerabilities ?? []) {
      const { affects = [], ...said } = vulnerability;
      const affected = affects.length === 0 ? [subject] : affects.map(({ ref }) => this.#local(ref));
      for (const id of new Set(affected)) {
        const here = affects.filter(({ ref }) => this.#local(ref) === id);
        this.#inventory.say(id, {
          vulnerabilities: [{ ...said, ...(here.length > 0 && { affects: here }) }],
        });
      }
    }
  }

  /** A BOM-Link to this file is the reference itself. */
  #local(ref: string): string {
    const start = `${this.#namespace}#`;
    return ref.startsWith(start) ? unescaped(ref.slice(start.length)) : ref;
  }

  #undescribed(ref: string): Thing {
    const [, namespace, name] = /^(urn:cdx:[^#]+)#(.+)$/.exec(ref) ?? [];
    if (namespace && name) return { reference: { namespace, name: unescaped(name) } };
    return {
      reference: /^(?:pkg|urn):/.test(ref) ? uriReference(ref) : { namespace: this.#namespace, name: ref },
    };
  }
}

/** Trivy writes an empty list also if it has not looked for vulnerabilities, which is its default. */
function listsVulnerabilities({ vulnerabilities, metadata }: Bom): boolean {
  if (vulnerabilities?.length !== 0) return vulnerabilities !== undefined;
  const { tools = {} } = metadata ?? {};
  const components = 'components' in tools ? tools.components : tools;
  return !(Array.isArray(components) && components.some(({ name }) => name === 'trivy'));
}

function digests(hashes: NonNullable<Component['hashes']>, place: string): Record<string, string> {
  const given = hashes.map(({ alg, content }) => ({ algorithm: alg, value: content }));
  return digestsOf(given, place);
}

/** Some tools give the digest of a package where it is downloaded. */
function archiveDigests({ externalReferences = [] }: Component, place: string): Record<string, string> {
  const archives = externalReferences.filter(
    ({ type, hashes = [] }) => type === 'distribution' && hashes.length > 0,
  );
  const [archive, another] = archives;
  if (!archive || another) return {};
  const at = externalReferences.indexOf(archive);
  return digests(archive.hashes ?? [], `${place}/externalReferences/${at}/hashes`);
}

function external({ url, hashes = [] }: ExternalReference, place: string): Thing {
  return { name: url, digests: digests(hashes, `${place}/hashes`), reference: uriReference(url) };
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
