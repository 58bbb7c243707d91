import { LRUCache } from 'lru-cache';
import canonize, { type Quad, type Term } from 'rdf-canonize';
import { ServiceError } from '../../errors.ts';
import type { ContextWorld } from '../contexts/world.ts';
import { type RdfDataset, toRdf } from './json-ld.ts';
import { sortedNQuads } from './rdfc.ts';

export interface TemplatedQuads {
  readonly nquads: string;
  /** Whether JSON-LD kept the whole statement. */
  readonly complete: boolean;
  /** The expanded `@type` of the root. */
  readonly types: readonly string[];
}

type FlatValue = string | readonly string[];
type FlatStatement = Readonly<Record<string, FlatValue>>;

/** A fixed quad, or one quad for each value of `member`. */
interface TemplateLine {
  readonly predicate: Term;
  readonly object: Term;
  readonly member?: string;
}

interface Template {
  readonly lines: readonly TemplateLine[];
  readonly complete: boolean;
  readonly types: readonly string[];
}

interface Shape {
  /** Members whose values affect their own meaning. A template is valid only for these values. */
  readonly fixed: readonly string[];
  readonly templates: LRUCache<string, Template | 'none'>;
}

const shapesKept = 1_000;
const templatesPerShape = 64;
const arrayLimit = 4_096;
const root: Term = { termType: 'BlankNode', value: 'c14n0' };
const defaultGraph: Term = { termType: 'DefaultGraph', value: '' };
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** IRIs that a context treats alike, unless it defines one of them as a term. */
const plainIri = /^(?:urn|did):[A-Za-z0-9][A-Za-z0-9._~:%-]*$/;

/**
 * Canonical N-Quads of flat statements without a JSON-LD run for each. Most statements consist of strings and arrays of
 * strings. Their RDF depends on the context, the type and the member names, but not on the values. So jsonld runs once
 * for each shape with probes as values, and the result serves as a template. The root is the only blank node, so
 * RDFC-1.0 labels it `c14n0` and sorts the lines. All other statements are left to jsonld.
 */
export class StatementTemplates {
  readonly #world: ContextWorld;
  readonly #shapes = new LRUCache<string, Shape | 'none'>({ max: shapesKept });

  constructor(world: ContextWorld) {
    this.#world = world;
  }

  /** @returns undefined if the statement is not flat or no template fits its context. */
  async apply(document: Readonly<Record<string, unknown>>): Promise<TemplatedQuads | undefined> {
    const key = shapeKey(document);
    if (key === undefined) return undefined;
    const statement = document as FlatStatement;
    let shape = this.#shapes.get(key);
    if (shape === undefined) {
      shape = await this.#learnShape(statement);
      this.#shapes.set(key, shape);
    }
    if (shape === 'none') return undefined;
    const template = await this.#template(shape, statement);
    return template && fill(template, statement);
  }

  async #template(shape: Shape, statement: FlatStatement): Promise<Template | undefined> {
    const key = JSON.stringify(shape.fixed.map((name) => statement[name]));
    let template = shape.templates.get(key);
    if (template === undefined) {
      const fixed = new Set(shape.fixed);
      template = (await this.#learn(statement, fixed)) ?? 'none';
      shape.templates.set(key, template);
    }
    return template === 'none' ? undefined : template;
  }

  /** Finds the members whose probes are missing in the RDF. They keep their values. */
  async #learnShape(statement: FlatStatement): Promise<Shape | 'none'> {
    if (this.#definesPlainIris(statement) || this.#world.hasSilentTerms(statement)) return 'none';
    const { document, probes } = probe(statement, new Set(), 'urn:');
    const rdf = await this.#toRdf(document);
    if (!rdf) return 'none';
    const carried = new Set(rdf.quads.map((quad) => quad.object.value));
    const fixed = Object.keys(probes).filter((name) => !probes[name]?.every((token) => carried.has(token)));
    return { fixed, templates: new LRUCache({ max: templatesPerShape }) };
  }

  async #toRdf(document: object): Promise<RdfDataset | undefined> {
    try {
      return await toRdf(document, this.#world);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  #definesPlainIris(statement: FlatStatement): boolean {
    const contexts = this.#world.reachable(this.#world.mentioned(statement)).values();
    return contexts.some(({ json }) => hasPlainIriTerm(json));
  }

  async #learn(statement: FlatStatement, fixed: ReadonlySet<string>): Promise<Template | undefined> {
    const first = await this.#learnWith(statement, fixed, 'urn:');
    const second = await this.#learnWith(statement, fixed, 'did:');
    return first && JSON.stringify(first) === JSON.stringify(second) ? first : undefined;
  }

  async #learnWith(statement: FlatStatement, fixed: ReadonlySet<string>, scheme: string) {
    const { document, probes } = probe(statement, fixed, scheme);
    const rdf = await this.#toRdf(document);
    const lines = rdf && templateLines(rdf.quads, probes);
    if (!lines) return undefined;
    const types = lines
      .filter(({ predicate, member }) => predicate.value === rdfType && member === undefined)
      .map(({ object }) => object.value);
    return { lines, complete: rdf.dropped.length === 0, types } satisfies Template;
  }
}

function isFlatValue(value: unknown): value is FlatValue {
  if (typeof value === 'string') return true;
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.length <= arrayLimit &&
    value.every((item) => typeof item === 'string')
  );
}

/** Everything but the values that affects the RDF of a flat statement; undefined if it is not flat. */
function shapeKey(document: Readonly<Record<string, unknown>>): string | undefined {
  const { '@context': context, '@type': type } = document;
  if (!isFlatValue(context) || (type !== undefined && !isFlatValue(type))) return undefined;
  const parts: unknown[] = [context, type];
  for (const [name, value] of Object.entries(document)) {
    if (name === '@context' || name === '@type') continue;
    if (name.startsWith('@') || name === '__proto__' || !isFlatValue(value)) return undefined;
    const values = typeof value === 'string' ? [value] : value;
    const iris = values.filter((item) => plainIri.test(item)).length;
    if (iris !== 0 && iris !== values.length) return undefined;
    parts.push(name, `${iris > 0 ? 'iri' : 'text'}${Array.isArray(value) ? 's' : ''}`);
  }
  return JSON.stringify(parts);
}

type Probes = Record<string, readonly string[]>;

/** Replaces values by tokens. An array gets two, to see that each becomes a quad. */
function probe(statement: FlatStatement, fixed: ReadonlySet<string>, scheme: string) {
  const probes: Probes = {};
  const document: Record<string, FlatValue> = {};
  for (const [name, value] of Object.entries(statement)) {
    if (name === '@context' || name === '@type' || fixed.has(name)) {
      document[name] = value;
      continue;
    }
    const number = Object.keys(probes).length;
    const isIri = plainIri.test(typeof value === 'string' ? value : (value[0] ?? ''));
    const token = (index: number) =>
      isIri ? `${scheme}cairn-probe-${number}-${index}` : `cairn probe ${number} ${index}`;
    probes[name] = typeof value === 'string' ? [token(0)] : [token(0), token(1)];
    document[name] = typeof value === 'string' ? token(0) : [token(0), token(1)];
  }
  return { document, probes };
}

/** Turns the RDF of the probes into lines; undefined if a quad does not have the simple form. */
function templateLines(quads: readonly Quad[], probes: Probes): TemplateLine[] | undefined {
  const owners = new Map<string, { member: string; index: number }>();
  for (const [member, tokens] of Object.entries(probes)) {
    for (const [index, token] of tokens.entries()) owners.set(token, { member, index });
  }
  const subject = quads[0]?.subject.value;
  const lines: TemplateLine[] = [];
  const counts = new Map<string, number>();
  for (const { subject: from, predicate, object, graph } of quads) {
    const isSimple =
      from.termType === 'BlankNode' && from.value === subject && predicate.termType === 'NamedNode';
    if (!isSimple || graph.termType !== 'DefaultGraph' || object.termType === 'BlankNode') return undefined;
    const owner = owners.get(object.value);
    if (!owner) {
      if (/cairn.probe/.test(JSON.stringify(object))) return undefined;
      lines.push({ predicate, object });
      continue;
    }
    counts.set(object.value, (counts.get(object.value) ?? 0) + 1);
    if (owner.index === 0) lines.push({ predicate, object: { ...object, value: '' }, member: owner.member });
  }
  const isWhole = Object.values(probes).every((tokens) => tokens.every((token) => counts.get(token) === 1));
  return isWhole && subject !== undefined ? lines : undefined;
}

function fill({ lines, complete, types }: Template, statement: FlatStatement): TemplatedQuads {
  const nquads = new Set<string>();
  const { serializeQuadComponents } = canonize.NQuads;
  for (const { predicate, object, member } of lines) {
    const value = member === undefined ? object.value : (statement[member] ?? '');
    for (const item of typeof value === 'string' ? [value] : value) {
      nquads.add(serializeQuadComponents(root, predicate, { ...object, value: item }, defaultGraph));
    }
  }
  return { nquads: sortedNQuads([...nquads]).join(''), complete, types };
}

/** Whether a context defines a term that is itself a `urn:…` or `did:…`. Then that value is treated differently. */
function hasPlainIriTerm(json: unknown): boolean {
  if (Array.isArray(json)) return json.some(hasPlainIriTerm);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([term, value]) => /^(?:urn|did):/.test(term) || hasPlainIriTerm(value));
}
