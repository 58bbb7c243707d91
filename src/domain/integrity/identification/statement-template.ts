import { LRUCache } from 'lru-cache';
import canonize, { type Quad, type Term } from 'rdf-canonize';
import { ServiceError } from '../../errors.ts';
import { type ContextWorld, mentionedContexts } from '../contexts/world.ts';
import { type RdfDataset, toRdf } from './json-ld.ts';
import { sortedNQuads } from './rdfc.ts';

/** The canonical N-Quads of a flat statement, and whether JSON-LD kept all of it. */
export interface TemplatedQuads {
  readonly nquads: string;
  readonly complete: boolean;
  /** The IRIs that the root's `@type` expands to. */
  readonly types: readonly string[];
}

type FlatValue = string | readonly string[];
type FlatStatement = Readonly<Record<string, FlatValue>>;

/** A line of the template: a quad of its own, or one quad for each value of a member. */
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

/** Members whose values decide about their own meaning, so that a template holds for one choice of them. */
interface Shape {
  readonly fixed: readonly string[];
  readonly templates: LRUCache<string, Template | 'none'>;
}

const shapesKept = 1_000;
const templatesPerShape = 64;
const arrayLimit = 4_096;
const root: Term = { termType: 'BlankNode', value: 'c14n0' };
const defaultGraph: Term = { termType: 'DefaultGraph', value: '' };
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** Values that a context treats all alike (probing tells how), unless it defines one of them as a term. */
const plainIri = /^(?:urn|did):[A-Za-z0-9][A-Za-z0-9._~:%-]*$/;

/**
 * Canonical N-Quads of flat statements without a JSON-LD run for each. Most statements consist of strings
 * and arrays of strings under a context that is known: what JSON-LD makes of one depends on its context, its
 * type and the names of its members, not on the values. So JSON-LD is asked once for each such shape, with
 * probes in the place of values, and its answer serves as a template. The root is the only blank node, so
 * that RDFC-1.0 names it `c14n0` and sorts the lines. Whatever does not fit is left to JSON-LD itself.
 */
export class StatementTemplates {
  readonly #world: ContextWorld;
  readonly #shapes = new LRUCache<string, Shape | 'none'>({ max: shapesKept });

  constructor(world: ContextWorld) {
    this.#world = world;
  }

  /** @returns undefined when the statement is not flat, or its context does things that no template can. */
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

  /** Finds the members whose probes JSON-LD does not carry through: those keep their values. */
  async #learnShape(statement: FlatStatement): Promise<Shape | 'none'> {
    if (this.#definesPlainIris(statement) || this.#world.hasSilentTerms(statement)) return 'none';
    const { document, probes } = probe(statement, new Set(), 'urn:');
    const rdf = await this.#ask(document);
    if (!rdf) return 'none';
    const carried = new Set(rdf.quads.map((quad) => quad.object.value));
    const fixed = Object.keys(probes).filter((name) => !probes[name]?.every((token) => carried.has(token)));
    return { fixed, templates: new LRUCache({ max: templatesPerShape }) };
  }

  /** Probes may offend where the values do not: then JSON-LD has to judge the statement itself. */
  async #ask(document: object): Promise<RdfDataset | undefined> {
    try {
      return await toRdf(document, this.#world);
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }

  #definesPlainIris(statement: FlatStatement): boolean {
    const contexts = this.#world.reachable(mentionedContexts(statement)).values();
    return contexts.some(({ json }) => hasPlainIriTerm(json));
  }

  async #learn(statement: FlatStatement, fixed: ReadonlySet<string>): Promise<Template | undefined> {
    const first = await this.#learnWith(statement, fixed, 'urn:');
    const second = await this.#learnWith(statement, fixed, 'did:');
    return first && JSON.stringify(first) === JSON.stringify(second) ? first : undefined;
  }

  async #learnWith(statement: FlatStatement, fixed: ReadonlySet<string>, scheme: string) {
    const { document, probes } = probe(statement, fixed, scheme);
    const rdf = await this.#ask(document);
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

/** All that decides what JSON-LD makes of a flat statement, values aside; undefined when it is not flat. */
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

/** The statement with tokens in the place of its values: two for an array, to see each become a quad of its own. */
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

/** Turns JSON-LD's answer to the probes into lines; undefined when a quad is not of the simple form. */
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

/** Whether a context document defines a term that is itself a `urn:…` or `did:…`, so that one value differs from all others. */
function hasPlainIriTerm(json: unknown): boolean {
  if (Array.isArray(json)) return json.some(hasPlainIriTerm);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(([term, value]) => /^(?:urn|did):/.test(term) || hasPlainIriTerm(value));
}
