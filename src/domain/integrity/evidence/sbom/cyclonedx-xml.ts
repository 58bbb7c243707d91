import { EvidenceProblem } from '../evidence.ts';

/** An element of an XML document, without comments and processing instructions. */
export interface XmlElement {
  readonly name: string;
  readonly namespace: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

const namespace = /^http:\/\/cyclonedx\.org\/schema\/bom\/(\d+\.\d+)$/;

/** Elements that JSON has as a list, each with the element of its items. */
const lists: Readonly<Record<string, string>> = {
  advisories: 'advisory',
  affects: 'target',
  algorithms: 'algorithm',
  aliases: 'alias',
  altIds: 'altId',
  ancestors: 'component',
  annotations: 'annotation',
  assemblies: 'assembly',
  authors: 'author',
  classification: 'dataflow',
  commands: 'command',
  commits: 'commit',
  components: 'component',
  compositions: 'composition',
  conditions: 'condition',
  cwes: 'cwe',
  dependencies: 'dependency',
  descendants: 'component',
  endpoints: 'endpoint',
  ethicalConsiderations: 'ethicalConsideration',
  externalReferences: 'reference',
  fairnessAssessments: 'fairnessAssessment',
  formulation: 'formula',
  frames: 'frame',
  hashes: 'hash',
  issues: 'issue',
  lifecycles: 'lifecycle',
  methods: 'method',
  notes: 'note',
  occurrences: 'occurrence',
  parameters: 'parameter',
  patches: 'patch',
  performanceMetrics: 'performanceMetric',
  performanceTradeoffs: 'performanceTradeoff',
  properties: 'property',
  ratings: 'rating',
  references: 'reference',
  resourceReferences: 'resourceReference',
  responses: 'response',
  runtimeTopology: 'dependency',
  services: 'service',
  steps: 'step',
  tags: 'tag',
  taskDependencies: 'dependency',
  taskTypes: 'taskType',
  tasks: 'task',
  technicalLimitations: 'technicalLimitation',
  useCases: 'useCase',
  users: 'user',
  variants: 'component',
  versions: 'version',
  vulnerabilities: 'vulnerability',
  workflows: 'workflow',
  workspaces: 'workspace',
};

/** Elements that hold things of several kinds. JSON wraps each in an object: `{"license": …}`. */
const choices = new Set(['licenses']);

/** Elements that JSON has as a list whenever they occur, without an element around them. */
const repeated = new Set(['contact', 'identity', 'omniborId', 'swhid']);

/** What JSON calls the text of an element that has attributes too. */
const textMembers: Readonly<Record<string, string>> = { property: 'value', environmentVar: 'value' };

const numbers = new Set(['bom/version']);

/** A bill of materials in the form that it has as JSON. @throws EvidenceProblem for another document. */
export function cyclonedxFromXml(document: XmlElement): Record<string, unknown> {
  const root = ofFormat(document);
  const [, specVersion] = root.name === 'bom' ? (namespace.exec(root.namespace) ?? []) : [];
  if (specVersion !== undefined) return { bomFormat: 'CycloneDX', specVersion, ...objectOf(root) };
  const found = `<${root.name}>${root.namespace === '' ? '' : ` of ${root.namespace}`}`;
  throw new EvidenceProblem(
    `The XML is ${found.slice(0, 300)}. Of XML, only CycloneDX is read: <bom> of http://cyclonedx.org/schema/bom/….`,
  );
}

/** Without the elements of other namespaces, which may stand anywhere and say nothing here. */
function ofFormat(element: XmlElement): XmlElement {
  const own = element.children.filter((child) => child.namespace === element.namespace);
  return { ...element, children: own.map(ofFormat) };
}

function jsonOf(element: XmlElement): unknown {
  const { name, children, attributes, text } = element;
  const item = lists[name];
  const isList = item !== undefined && text.trim() === '' && children.every((child) => child.name === item);
  if (isList) return children.map(jsonOf);
  if (choices.has(name)) return children.map(choiceOf);
  if (name === 'datasets')
    return children.map((child) => (child.name === 'ref' ? { ref: child.text } : jsonOf(child)));
  if (name === 'environmentVars') return children.map(jsonOf);
  if (name === 'dependency') return dependencyOf(element);
  const isText = children.length === 0 && Object.keys(attributes).length === 0;
  return isText ? text.trim() : objectOf(element);
}

function objectOf({ name, attributes, children, text }: XmlElement): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(attributes))
    object[member === 'content-type' ? 'contentType' : member] = numbers.has(`${name}/${member}`)
      ? Number(value)
      : value;
  for (const child of children) {
    const before = object[child.name];
    const value = jsonOf(child);
    if (Array.isArray(before) && !(child.name in lists)) before.push(value);
    else if (before !== undefined) object[child.name] = [before, value];
    else object[child.name] = repeated.has(child.name) ? [value] : value;
  }
  if (children.length === 0 && text.trim() !== '') object[textMembers[name] ?? 'content'] = text.trim();
  return object;
}

function choiceOf(child: XmlElement): Record<string, unknown> {
  if (child.name === 'license') return { license: jsonOf(child) };
  const { content: expression, ...rest } = objectOf(child);
  return expression === undefined ? rest : { expression, ...rest };
}

/** JSON has one level of dependencies; XML can have more, which stand for themselves. */
function dependencyOf({ attributes, children }: XmlElement): Record<string, unknown> {
  const refs = (name: string) =>
    children.filter((child) => child.name === name).map((one) => one.attributes.ref);
  const [dependsOn, provides] = [refs('dependency'), refs('provides')];
  return {
    ref: attributes.ref,
    ...(dependsOn.length > 0 && { dependsOn }),
    ...(provides.length > 0 && { provides }),
  };
}
