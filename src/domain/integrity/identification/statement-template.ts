import { LRUCache } from 'lru-cache';
import canonize, { type Quad, type Term } from 'rdf-canonize';
import { ServiceError } from '../../errors.ts';
import type { ContextWorld } from '../contexts/world.ts';
import { type RdfDataset, toRdf } from './json-ld.ts';
import { type CanonicalizationLimits, canonicalNQuads, distinctQuads, sortedNQuads } from './rdfc.ts';
import { plainIri, type ShapedStatement, separator, shapeOf, type Values } from './template-shape.ts';

export interface TemplatedQuads {
  readonly nquads: string;
  /** Whether JSON-LD kept the whole statement. */
  readonly complete: boolean;
  /** The expanded types of all nodes. */
  readonly types: readonly string[];
}

/** A term of a quad, or the value of a member. */
type Slot = Term & { readonly member?: string };

/** A quad, or one quad for each value of the list in `object`. */
interface TemplateQuad {
  readonly subject: Slot;
  readonly predicate: Term;
  readonly object: Slot;
  readonly graph: Slot;
}

interface Template {
  readonly quads: readonly TemplateQuad[];
  /** Whether the root is the only blank node, so that no labels have to be computed. */
  readonly isFlat: boolean;
  readonly complete: boolean;
  readonly types: readonly string[];
}

interface Shape {
  /** Members that keep their values in every probe. Their values are part of the shape. */
  readonly kept: ReadonlySet<string>;
  /** Members whose values affect their own meaning. A template is valid only for these values. */
  readonly fixed: readonly string[];
  readonly templates: LRUCache<string, Template | 'none'>;
}

const shapesKept = 1_000;
const templatesPerShape = 64;
const root: Term = { termType: 'BlankNode', value: 'c14n0' };
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/**
 * Canonical N-Quads of simple statements without a JSON-LD run for each. Most statements consist of strings, arrays of
 * strings, and objects of these. Their RDF depends on the contexts, the types and the names, but not on the values. So
 * jsonld runs once for each shape with probes as values, and the result serves as a template. If the root is the only
 * blank node, RDFC-1.0 labels it `c14n0` and sorts the lines; other results are canonicalized. All other statements are
 * left to jsonld.
 */
export class StatementTemplates {
  readonly #world: ContextWorld;
  readonly #shapes = new LRUCache<string, Shape | 'none'>({ max: shapesKept });

  constructor(world: ContextWorld) {
    this.#world = world;
  }

  /**
   * @returns undefined if the statement is not simple or no template fits its context.
   * @throws ServiceError `too_complex` beyond the limits.
   */
  async apply(
    document: Readonly<Record<string, unknown>>,
    limits: CanonicalizationLimits,
  ): Promise<TemplatedQuads | undefined> {
    const shaped = shapeOf(document);
    if (shaped === undefined) return undefined;
    let shape = this.#shapes.get(shaped.key);
    if (shape === undefined) {
      shape = await this.#learnShape(document, shaped);
      this.#shapes.set(shaped.key, shape);
    }
    if (shape === 'none') return undefined;
    const template = await this.#template(shape, shaped.values);
    return template && (await fill(template, shaped.values, limits));
  }

  async #template(shape: Shape, values: Values): Promise<Template | undefined> {
    const key = JSON.stringify(shape.fixed.map((place) => values[place]));
    let template = shape.templates.get(key);
    if (template === undefined) {
      const same = new Set([...shape.kept, ...shape.fixed]);
      template = (await this.#learn(values, same)) ?? 'none';
      shape.templates.set(key, template);
    }
    return template === 'none' ? undefined : template;
  }

  /** Finds the members whose probes are missing in the RDF. They keep their values. */
  async #learnShape(document: object, { values, kept, isNested }: ShapedStatement): Promise<Shape | 'none'> {
    if (this.#definesPlainIris(document) || this.#world.hasSilentTerms(document)) return 'none';
    const probed = probe(values, kept, 'urn:');
    const rdf = await this.#toRdf(probed.document);
    if (!rdf) return 'none';
    const carried = new Set(rdf.quads.flatMap((quad) => partsOf(quad).map(({ value }) => value)));
    const isCarried = (tokens: readonly string[]) => tokens.every((token) => carried.has(token));
    const names = Object.keys(probed.probes);
    const fixed = names.filter((name) => !isCarried(probed.probes[name] ?? []));
    // A node without a valid id takes all its values along, and each value would need a template of its own.
    if (isNested && fixed.length > names.length / 2) return 'none';
    return { kept, fixed, templates: new LRUCache({ max: templatesPerShape }) };
  }

  async #toRdf(document: object): Promise<RdfDataset | undefined> {
    try {
      return await toRdf(document, this.#world);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  #definesPlainIris(document: object): boolean {
    const contexts = this.#world.reachable(this.#world.mentioned(document)).values();
    return contexts.some(({ json }) => hasPlainIriTerm(json));
  }

  async #learn(values: Values, same: ReadonlySet<string>): Promise<Template | undefined> {
    const first = await this.#learnWith(values, same, 'urn:');
    const second = await this.#learnWith(values, same, 'did:');
    return first && JSON.stringify(first) === JSON.stringify(second) ? first : undefined;
  }

  async #learnWith(values: Values, same: ReadonlySet<string>, scheme: string): Promise<Template | undefined> {
    const { document, probes } = probe(values, same, scheme);
    const rdf = await this.#toRdf(document);
    const quads = rdf && templateQuads(rdf.quads, probes);
    if (!quads) return undefined;
    const types = quads
      .filter(({ predicate, object }) => predicate.value === rdfType && object.member === undefined)
      .map(({ object }) => object.value);
    return { quads, isFlat: isFlat(quads), complete: rdf.dropped.length === 0, types };
  }
}

type Probes = Record<string, readonly string[]>;

/**
 * Replaces values by tokens. An array gets two, to see that each becomes a quad.
 * @param same the places that keep their values.
 */
function probe(values: Values, same: ReadonlySet<string>, scheme: string) {
  const probes: Probes = {};
  const document: Record<string, unknown> = {};
  for (const [place, value] of Object.entries(values)) {
    const path = place.split(separator);
    if (same.has(place)) {
      put(document, path, value);
      continue;
    }
    const number = Object.keys(probes).length;
    const isIri = plainIri.test(typeof value === 'string' ? value : (value[0] ?? ''));
    const token = (index: number) =>
      isIri ? `${scheme}cairn-probe-${number}-${index}` : `cairn probe ${number} ${index}`;
    const tokens = typeof value === 'string' ? [token(0)] : [token(0), token(1)];
    probes[place] = tokens;
    put(document, path, typeof value === 'string' ? token(0) : tokens);
  }
  return { document, probes };
}

function put(object: Record<string, unknown>, [name = '', ...rest]: readonly string[], value: unknown): void {
  if (rest.length === 0) object[name] = value;
  else {
    if (!Object.hasOwn(object, name)) object[name] = {};
    put(object[name] as Record<string, unknown>, rest, value);
  }
}

function partsOf({ subject, predicate, object, graph }: Quad): readonly Term[] {
  return [subject, predicate, object, graph];
}

/** Turns the RDF of the probes into a template; undefined if the values have another effect than filling places. */
function templateQuads(quads: readonly Quad[], probes: Probes): TemplateQuad[] | undefined {
  const owners = new Map<string, { member: string; index: number; isList: boolean }>();
  for (const [member, tokens] of Object.entries(probes)) {
    for (const [index, token] of tokens.entries())
      owners.set(token, { member, index, isList: tokens.length > 1 });
  }
  const counts = new Map<string, number>();
  /** The rest of the quad of each list. It must be the same for every item. */
  const lists = new Map<string, string>();
  const found: TemplateQuad[] = [];
  for (const quad of quads) {
    if (quad.predicate.termType !== 'NamedNode') return undefined;
    const owned = partsOf(quad).map(({ value }) => owners.get(value));
    const [, predicate, object] = owned;
    const isElsewhere = owned.some((owner) => owner?.isList && owner !== object);
    const hasRemains = partsOf(quad).some(
      (part, at) => !owned[at] && /cairn.probe/.test(JSON.stringify(part)),
    );
    if (predicate || isElsewhere || hasRemains) return undefined;
    if (object?.isList) {
      const rest = JSON.stringify({ ...quad, object: { ...quad.object, value: '' } });
      if (lists.getOrInsert(object.member, rest) !== rest) return undefined;
    }
    for (const { value } of partsOf(quad)) counts.set(value, (counts.get(value) ?? 0) + 1);
    const slot = (part: Term): Slot => {
      const owner = owners.get(part.value);
      return owner ? { ...part, value: '', member: owner.member } : part;
    };
    if (object?.index === 1) continue;
    const { subject, graph } = quad;
    found.push({
      subject: slot(subject),
      predicate: quad.predicate,
      object: slot(quad.object),
      graph: slot(graph),
    });
  }
  const isWhole = Object.values(probes).every((tokens) =>
    tokens.every((token) => (tokens.length > 1 ? counts.get(token) === 1 : counts.has(token))),
  );
  return isWhole && found.length > 0 ? found : undefined;
}

/** Whether all quads are about one blank node, in the default graph. */
function isFlat(quads: readonly TemplateQuad[]): boolean {
  const label = quads[0]?.subject.value;
  return quads.every(
    ({ subject, object, graph }) =>
      subject.termType === 'BlankNode' &&
      subject.value === label &&
      object.termType !== 'BlankNode' &&
      graph.termType === 'DefaultGraph',
  );
}

async function fill(
  { quads, isFlat: isSorted, complete, types }: Template,
  values: Values,
  limits: CanonicalizationLimits,
): Promise<TemplatedQuads> {
  const filled = [...filledQuads(quads, values)];
  if (!isSorted) {
    const nquads = await canonicalNQuads(distinctQuads(filled), limits);
    return { nquads, complete, types };
  }
  const { serializeQuadComponents } = canonize.NQuads;
  const lines = filled.map(({ predicate, object, graph }) =>
    serializeQuadComponents(root, predicate, object, graph),
  );
  return { nquads: sortedNQuads([...new Set(lines)]).join(''), complete, types };
}

function* filledQuads(quads: readonly TemplateQuad[], values: Values): Generator<Quad> {
  const term = ({ member, ...part }: Slot): Term =>
    member === undefined ? part : { ...part, value: String(values[member]) };
  for (const { subject, predicate, object, graph } of quads) {
    const { member, ...part } = object;
    const value = member === undefined ? part.value : (values[member] ?? '');
    for (const item of typeof value === 'string' ? [value] : value)
      yield { subject: term(subject), predicate, object: { ...part, value: item }, graph: term(graph) };
  }
}

/** Whether a context defines a term that is itself a `urn:…` or `did:…`. Then that value is treated differently. */
function hasPlainIriTerm(json: unknown): boolean {
  if (Array.isArray(json)) return json.some(hasPlainIriTerm);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([term, value]) => /^(?:urn|did):/.test(term) || hasPlainIriTerm(value));
}
