import { LRUCache } from 'lru-cache';
import type { Quad, Term } from 'rdf-canonize';
import { ServiceError } from '../../errors.ts';
import type { JsonObject } from '../../json/is-object.ts';
import { type ContextWorld, contextsIn } from '../contexts/world.ts';
import { termsIri } from '../kinds/kind.ts';
import { holdsSilentValues } from './coverage.ts';
import { toRdf } from './json-ld.ts';
import { type CanonicalizationLimits, canonicalNQuads, distinctQuads, rdfType } from './rdfc.ts';
import { filledLines, type TemplateLines, templateLines } from './template-lines.ts';
import {
  doubleText,
  lostProbes,
  probesFor,
  type Round,
  rounds,
  type Slot,
  type TemplateQuad,
  templateQuads,
} from './template-quads.ts';
import { plainIri, type ShapedDocument, shapeOf, type Value, withValues } from './template-shape.ts';
import { filledText, type TextTemplate, textTemplate } from './template-text.ts';

export interface TemplatedQuads {
  readonly nquads: string;
  /** Whether JSON-LD reports no dropped members. */
  readonly complete: boolean;
  /** Whether the document has values that JSON-LD drops without a report. */
  readonly mayDrop: boolean;
  /** The expanded types of all nodes. */
  readonly types: readonly string[];
  /** The members of the document whose IRIs are objects of the predicate `termsIri` + name. */
  readonly carried: readonly string[];
  /** RFC 8785 text of the document with this `@id`. */
  readonly text: (id: string) => string;
}

interface Learned extends Omit<TemplatedQuads, 'nquads' | 'text'> {
  readonly quads: readonly TemplateQuad[];
}

interface Template extends Learned {
  readonly lines: TemplateLines;
  readonly text: TextTemplate;
}

interface Shape {
  readonly id: string;
  /** The indexes of the values that affect their own meaning. A template is valid only for these values. */
  readonly fixed: readonly number[];
}

const shapesKept = 1_000;
const templatesKept = 2_000;
const quadsKept = 100_000;
const fixedLimit = 8_192;

/**
 * Canonical N-Quads of documents without a JSON-LD run for each. Their RDF depends on the contexts, the types, the names,
 * and the lengths of lists, but not on most values. So jsonld runs for each shape with probes as values, and the result
 * serves as a template. It is learned when the shape comes for the second time, because that takes several runs.
 */
export class StatementTemplates {
  readonly #world: ContextWorld;
  readonly #shapes = new LRUCache<string, Shape | 'seen' | 'none'>({ max: shapesKept });
  readonly #templates = new LRUCache<string, Template | 'seen' | 'none'>({
    max: templatesKept,
    maxSize: quadsKept,
    sizeCalculation: (template) => (typeof template === 'string' ? 1 : template.quads.length),
  });
  #shapesLearned = 0;

  constructor(world: ContextWorld) {
    this.#world = world;
  }

  /**
   * @returns undefined if no template fits the document, or not yet.
   * @throws ServiceError `too_complex` beyond the limits.
   */
  async apply(
    document: JsonObject,
    limits: CanonicalizationLimits,
    shaped = shapeOf(document),
  ): Promise<TemplatedQuads | undefined> {
    const template = shaped && (this.#learned(shaped) ?? (await this.#templateFor(document, shaped)));
    if (!template) return undefined;
    const { values } = shaped;
    const nquads =
      filledLines(template.lines, values) ??
      (await canonicalNQuads(distinctQuads([...filledQuads(template.quads, values)]), limits));
    const { complete, mayDrop, types, carried } = template;
    return { nquads, complete, mayDrop, types, carried, text: (id) => filledText(template.text, values, id) };
  }

  /** The template if it is known: without promises, to save time for each statement. */
  #learned({ key, values }: ShapedDocument): Template | undefined {
    const shape = this.#shapes.get(key);
    if (typeof shape !== 'object') return undefined;
    const template = this.#templates.get(templateKey(shape, values));
    return typeof template === 'object' ? template : undefined;
  }

  async #templateFor(document: JsonObject, { key, values }: ShapedDocument): Promise<Template | undefined> {
    const shape = await known(this.#shapes, key, 'seen', () => this.#learnShape(document, values));
    if (!shape) return undefined;
    const fixed = templateKey(shape, values);
    if (fixed.length > fixedLimit) return undefined;
    const first = shape.fixed.length > 0 ? 'seen' : undefined;
    const learn = () => this.#learn(document, values, shape);
    return await known(this.#templates, fixed, first, learn);
  }

  /** Finds the values that JSON-LD does not keep as they are. */
  async #learnShape(document: JsonObject, values: readonly Value[]): Promise<Shape | undefined> {
    if (this.#definesPlainIris(document) || this.#world.hasSilentTerms(document)) return undefined;
    const tried = await this.#tryProbes(document, values, new Set(), rounds[0] as Round);
    if (!tried) return undefined;
    this.#shapesLearned += 1;
    return { id: `${this.#shapesLearned} `, fixed: lostProbes(tried.quads, tried.probes) };
  }

  #definesPlainIris(document: JsonObject): boolean {
    const contexts = this.#world.reachable(this.#world.mentioned(document)).values();
    return contextsIn(document).some(hasPlainIriTerm) || contexts.some(({ json }) => hasPlainIriTerm(json));
  }

  async #learn(document: JsonObject, values: readonly Value[], { fixed }: Shape) {
    const tries: (Learned | undefined)[] = [];
    for (const round of rounds) tries.push(await this.#learnWith(document, values, new Set(fixed), round));
    const [first, ...others] = tries;
    const isSame = others.every((other) => JSON.stringify(other) === JSON.stringify(first));
    if (!first || !isSame) return undefined;
    return { ...first, lines: templateLines(first.quads, values), text: textTemplate(document, values) };
  }

  async #learnWith(document: JsonObject, values: readonly Value[], fixed: ReadonlySet<number>, round: Round) {
    const tried = await this.#tryProbes(document, values, fixed, round);
    const quads = tried && templateQuads(tried.quads, tried.probes);
    if (!quads) return undefined;
    const types = quads
      .filter(({ predicate, object }) => predicate.value === rdfType && object.at === undefined)
      .map(({ object }) => object.value);
    const carried = quads.flatMap(({ predicate, object }) => {
      const probe = object.at === undefined ? undefined : tried.probes[object.at];
      const name = predicate.value.slice(termsIri.length);
      const isOwn = predicate.value.startsWith(termsIri) && probe && probe.value === tried.probed[name];
      return isOwn && plainIri.test(String([probe.value].flat()[0])) ? [name] : [];
    });
    const complete = tried.dropped.length === 0;
    return { quads, complete, mayDrop: holdsSilentValues(document), types, carried };
  }

  async #tryProbes(document: JsonObject, values: readonly Value[], fixed: ReadonlySet<number>, round: Round) {
    const probes = probesFor(values, fixed, round);
    const probedValues = values.map((value, at) => probes[at]?.value ?? value);
    const probed = withValues(document, probedValues);
    try {
      return { ...(await toRdf(probed, this.#world)), probed, probes };
    } catch (error) {
      if (error instanceof ServiceError) return undefined;
      throw error;
    }
  }
}

function templateKey({ id, fixed }: Shape, values: readonly Value[]): string {
  return fixed.length === 0 ? id : id + JSON.stringify(fixed.map((at) => values[at]));
}

/** The entry of this key. With `first` it is learned when it is asked for the second time. */
async function known<Entry extends object>(
  entries: LRUCache<string, Entry | 'seen' | 'none'>,
  key: string,
  first: 'seen' | undefined,
  learn: () => Promise<Entry | undefined>,
): Promise<Entry | undefined> {
  let entry = entries.get(key);
  if (entry === undefined || entry === 'seen') {
    entry = entry === undefined && first ? first : ((await learn()) ?? 'none');
    entries.set(key, entry);
  }
  return typeof entry === 'object' ? entry : undefined;
}

function* filledQuads(quads: readonly TemplateQuad[], values: readonly Value[]): Generator<Quad> {
  const term = ({ at, notation, isList: _, ...part }: Slot, item?: string): Term => {
    if (at === undefined) return part;
    const value = item ?? values[at];
    return { ...part, value: notation === 'double' ? doubleText(Number(value)) : String(value) };
  };
  for (const { subject, predicate, object, graph } of quads) {
    const value = object.at === undefined ? undefined : values[object.at];
    for (const item of Array.isArray(value) ? value : [undefined])
      yield { subject: term(subject), predicate, object: term(object, item), graph: term(graph) };
  }
}

/** Whether a context defines a term that is itself such an IRI. Then that value is treated differently. */
function hasPlainIriTerm(json: unknown): boolean {
  if (Array.isArray(json)) return json.some(hasPlainIriTerm);
  if (typeof json !== 'object' || json === null) return false;
  return Object.entries(json).some(
    ([term, value]) => /^(?:urn|did|https?):/.test(term) || hasPlainIriTerm(value),
  );
}
