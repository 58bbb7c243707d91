import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { isObject, type JsonObject } from '../../json/is-object.ts';
import { parseStrictJson } from '../../json/strict-json.ts';
import { isOwnContext } from '../contexts/own.ts';
import { type ContextSet, type ContextWorld, contextsIn } from '../contexts/world.ts';
import { type Cid, cidOf, cidUrn, codecs } from '../identifiers/cid.ts';
import { parseTime } from '../identifiers/timestamp.ts';
import { termsIri } from '../kinds/kind.ts';
import { isStatementKind, type StatementKind } from '../kinds/registry.ts';
import { inRdf, type Reference, referencesOf } from '../statements/references.ts';
import {
  holdsSilentKeywords,
  holdsSilentValues,
  isQuicklyChecked,
  type Uncovered,
  uncoveredPlaces,
} from './coverage.ts';
import { jcs } from './jcs.ts';
import { toRdf } from './json-ld.ts';
import { type CanonicalizationLimits, canonicalNQuads, rdfType } from './rdfc.ts';
import { assertCovered, assertShape } from './statement-shape.ts';
import { StatementTemplates } from './statement-template.ts';
import { type ShapedDocument, shapeOf } from './template-shape.ts';

export interface IdentifyOptions extends CanonicalizationLimits {
  /** Compute the id and replace any `@id`. Otherwise the `@id` must be correct. */
  readonly generateId: boolean;
  /** Require the shapes of the vocabulary for statements in the service's own context, as `PUT` does. */
  readonly strict: boolean;
  /** List the places that the id does not cover, as `compute-id` does. Otherwise only report whether there are any. */
  readonly reportCoverage: boolean;
  readonly maxDepth: number;
  /** Refuse as `too_complex` what may take longer than some milliseconds. */
  readonly quick?: boolean;
}

/** A statement with its two CIDs and all that the store needs. */
export interface IdentifiedStatement {
  readonly rdfcCid: Cid;
  readonly jcsCid: Cid;
  /** The stored form: RFC 8785 text of the whole statement with its `@id`. */
  readonly jcs: string;
  readonly nquads: string;
  /** A kind of the vocabulary or a foreign `@type`. A foreign type with the name of a kind is given as its IRI. */
  readonly kind: string;
  readonly references: readonly Reference[];
  /** Milliseconds since 1970 of its `timestamp`; null if it has no valid one. */
  readonly time: number | null;
  readonly contexts: ContextSet;
  /** Whether it carries a proof, a credential or another signature. */
  readonly isSigned: boolean;
  readonly isCovered: boolean;
  /** Empty unless `reportCoverage` is set. */
  readonly uncovered: readonly Uncovered[];
}

/** Of a statement that is identified quickly. */
const quickContexts = 8;
const shapesKept = 1_000;

/** What follows from the contexts, types and names of a document. */
interface Outline {
  readonly urls: readonly string[];
  readonly isOwn: boolean;
  /** The number of its contexts. */
  readonly contexts: number;
  /** Found when it is needed. */
  kind?: { readonly kind?: StatementKind; readonly foreignKind: string };
  /** Found when all of its contexts are known. */
  contextSet?: ContextSet;
}

/** Computes the two CIDs of statements (vocabulary, "The two CIDs of a statement") in one world of contexts. */
export class StatementIdentifier {
  readonly world: ContextWorld;
  readonly #templates: StatementTemplates;
  readonly #outlines = new LRUCache<string, Outline>({ max: shapesKept });

  constructor(world: ContextWorld) {
    this.world = world;
    this.#templates = new StatementTemplates(world);
  }

  /** @param bytes the statement's JSON text. @throws ServiceError; MissingContexts if the world lacks a context. */
  async identify(bytes: Uint8Array, options: IdentifyOptions): Promise<IdentifiedStatement> {
    const statement = parseStrictJson(bytes, { maxDepth: options.maxDepth, exactNumbers: true });
    if (!isObject(statement))
      throw new ServiceError('invalid_statement', 'A statement must be a JSON object.');
    const { '@id': givenId, ...rest } = statement;
    const document = givenId === undefined ? statement : rest;
    if (givenId === undefined && !options.generateId) throwMissingId();
    const shaped = shapeOf(document);
    const outline = this.#outlineOf(document, shaped);
    const { isOwn } = outline;
    if (options.quick && outline.contexts > quickContexts) throwTooComplex();
    this.#contextSet(outline);
    const rdf = await this.#rdf(document, options, shaped);
    const isChecked = (rdf.drops || rdf.mayDrop) && (isOwn || options.reportCoverage);
    if (isChecked && options.quick && !isQuicklyChecked(document)) throwTooComplex();
    const uncovered = isChecked ? await uncoveredPlaces(document, this.world) : [];
    const isCovered = !rdf.drops && (!rdf.mayDrop || (isChecked && uncovered.length === 0));
    outline.kind ??= await this.#kind(document, options);
    const { kind, foreignKind } = outline.kind;
    if (isOwn && !isCovered) assertCovered(kind, document, uncovered);
    if (rdf.nquads === '') throwEmpty('statement', uncovered);
    if (isOwn && options.strict) assertShape(kind, document);
    const rdfcCid = cidOf(codecs.rdfc, rdf.nquads);
    const id = cidUrn(rdfcCid);
    if (!options.generateId && givenId !== id) throwOtherId(givenId, id);
    const text = rdf.text?.(id) ?? jcs({ ...document, '@id': id });
    return {
      rdfcCid,
      jcsCid: cidOf(codecs.jcs, text),
      jcs: text,
      nquads: rdf.nquads,
      kind: kind ?? foreignKind,
      references: referencesOf(document, kind, inRdf(rdf.nquads), rdf.carried),
      time: typeof document.timestamp === 'string' ? parseTime(document.timestamp) : null,
      // Later than the check, because contexts may become known in the meantime.
      contexts: this.#contextSet(outline),
      isSigned: kind === 'CredentialRegistration' || 'proof' in document,
      isCovered,
      uncovered,
    };
  }

  /** This, or an identifier whose world takes less memory. */
  within(limit: number): StatementIdentifier {
    const world = this.world.within(limit);
    return world === this.world ? this : new StatementIdentifier(world);
  }

  /** @param limits `covered` refuses members that JSON-LD drops, with or without a report, as `not_covered`. */
  async nquads(
    document: JsonObject,
    limits: CanonicalizationLimits & { covered?: boolean },
  ): Promise<string> {
    this.world.contextSet(this.world.mentioned(document));
    const { nquads, drops, mayDropNames } = await this.#rdf(document, limits);
    if (limits.covered && (drops || mayDropNames)) {
      if (!drops && !isQuicklyChecked(document)) throwSearchTooLarge();
      const uncovered = await uncoveredPlaces(document, this.world);
      if (drops || uncovered.length > 0) throwDropped(uncovered);
    }
    return nquads;
  }

  #outlineOf(document: JsonObject, shaped: ShapedDocument | undefined): Outline {
    const known = shaped && this.#outlines.get(shaped.key);
    if (known) return known;
    const outline: Outline = {
      urls: this.world.mentioned(document),
      isOwn: [document['@context']].flat().some(isOwnContext),
      contexts: contextsIn(document).reduce((sum, context) => sum + context.length, 0),
    };
    if (shaped) this.#outlines.set(shaped.key, outline);
    return outline;
  }

  #contextSet(outline: Outline): ContextSet {
    if (outline.contextSet) return outline.contextSet;
    const set = this.world.contextSet(outline.urls);
    if (outline.urls.every((url) => this.world.has(url))) outline.contextSet = set;
    return set;
  }

  /** The claimed kind, if the context maps the word to that kind. Only the `@type` of the statement itself counts. */
  async #kind(document: JsonObject, limits: CanonicalizationLimits): Promise<NonNullable<Outline['kind']>> {
    const { '@context': context, '@type': type } = document;
    const [claimed] = [type].flat();
    if (!isStatementKind(claimed)) return { foreignKind: typeof claimed === 'string' ? claimed : '' };
    const typed = { ...(context !== undefined && { '@context': context }), '@type': type };
    const { types } = await this.#rdf(typed, limits);
    const [foreignKind = ''] = types;
    return types.includes(termsIri + claimed) ? { kind: claimed, foreignKind } : { foreignKind };
  }

  async #rdf(document: JsonObject, limits: CanonicalizationLimits, shaped = shapeOf(document)) {
    const filled = await this.#templates.apply(document, limits, shaped);
    // Documents with silent names have no template.
    if (filled) return { ...filled, drops: !filled.complete, mayDropNames: false };
    const { quads, dropped } = await toRdf(document, this.world);
    const mayDropNames = holdsSilentKeywords(document) || this.world.hasSilentTerms(document);
    return {
      nquads: await canonicalNQuads(quads, limits),
      types: quads.filter(({ predicate }) => predicate.value === rdfType).map(({ object }) => object.value),
      drops: dropped.length > 0,
      mayDrop: mayDropNames || holdsSilentValues(document),
      /** Unlike nulls and empty lists, what silent names hold says something to a reader. */
      mayDropNames,
      carried: [],
      text: undefined,
    };
  }
}

function throwTooComplex(): never {
  throw new ServiceError('too_complex', 'The statement may take too long.');
}

function throwMissingId(): never {
  const message =
    'The statement has no @id. Set it to the CID of the statement, or send "generate_id": true.';
  throw new ServiceError('missing_id', message);
}

function throwOtherId(given: unknown, computed: string): never {
  const message = `The @id ${JSON.stringify(given)?.slice(0, 200)} is wrong: the id of this statement is "${computed}".`;
  const details = [{ pointer: '/@id', reason: `must be ${computed}` }];
  throw new ServiceError('id_mismatch', message, { details });
}

function throwSearchTooLarge(): never {
  const message =
    'JSON-LD may drop parts of the document, because its contexts use @index or @included, and it is too large to find out which. Use contexts without them.';
  throw new ServiceError('too_complex', message);
}

function throwDropped(uncovered: readonly Uncovered[]): never {
  const places = uncovered.map(({ pointer }) => `"${pointer}"`).join(', ');
  const message = `JSON-LD drops ${places || 'a part of the document'}, because no context defines it. Remove it, or define it in a context.`;
  throw new ServiceError('not_covered', message, { details: uncovered });
}

/** For what has no N-Quads, and so would have the same CID as everything else that says nothing. */
export function throwEmpty(what: 'statement' | 'document', uncovered: readonly Uncovered[] = []): never {
  const message = `The ${what} produces no RDF. It needs an @context that defines its members, and members with values.`;
  throw new ServiceError('invalid_statement', message, { details: uncovered });
}
