import contexts, { type ProcessingOptions } from 'jsonld/lib/context.js';
import expansion from 'jsonld/lib/expand.js';
import deserialization from 'jsonld/lib/toRdf.js';
import jsonldUtil from 'jsonld/lib/util.js';
import type { Quad } from 'rdf-canonize';
import { messageOf, ServiceError } from '../../errors.ts';
import { type ContextWorld, holdsPrototypeKey } from '../contexts/world.ts';
import { cidIn } from '../identifiers/cid.ts';
import { distinctQuads } from './rdfc.ts';

/** The world lacks contexts that a document mentions. The caller resolves them and tries again. */
export class MissingContexts extends Error {
  /** The context that jsonld asked for first. */
  readonly needed: string;
  readonly urls: readonly string[];

  constructor(needed: string, urls: readonly string[]) {
    super(`The context ${needed} is not known.`);
    this.name = 'MissingContexts';
    this.needed = needed;
    this.urls = urls;
  }
}

export function unknownContext({ needed }: MissingContexts): ServiceError {
  const asBlob = cidIn(needed) ? 'store it as a blob (PUT /store/v1/blob), or ' : '';
  const message = `The context ${needed.slice(0, 300)} is not known, and contexts are never fetched. To add it, ${asBlob}put it into the folder of CAIRN_CONTEXTS_DIR (cid/<cid> or https/<host>/<path>) and restart.`;
  return new ServiceError('unknown_context', message);
}

export interface RdfDataset {
  readonly quads: readonly Quad[];
  readonly dropped: readonly string[];
}

/** Events that mean dropped content. jsonld's safe mode throws on them. */
const droppingEvents = new Set([
  'empty object',
  'free-floating scalar',
  'invalid @language value',
  'invalid property',
  'null @id value',
  'null @value value',
  'object with only @id',
  'object with only @language',
  'object with only @list',
  'object with only @value',
  'relative @id reference',
  'relative @type reference',
  'relative @vocab reference',
  'relative graph reference',
  'relative object reference',
  'relative predicate reference',
  'relative subject reference',
  'reserved @id value',
  'reserved @reverse value',
  'reserved term',
  'blank node predicate',
  'rdfDirection not set',
]);

/**
 * JSON-LD 1.1 "deserialize to RDF" in non-strict mode, without a base IRI, with only the contexts of `world`.
 * @throws MissingContexts for contexts that the world lacks.
 * @throws ServiceError `invalid_statement` for documents that JSON-LD refuses.
 */
export async function toRdf(document: object, world: ContextWorld): Promise<RdfDataset> {
  if (holdsPrototypeKey(document))
    throw new ServiceError('invalid_statement', 'JSON-LD cannot carry a member named "__proto__".');
  const needs = new Set<string>();
  const dropped = new Set<string>();
  const options: ProcessingOptions = {
    base: '',
    keepFreeFloatingNodes: false,
    documentLoader: world.loader(needs),
    contextResolver: world.resolver(),
    eventHandler: [
      ({ event, next }) => {
        if (droppingEvents.has(event.code)) dropped.add(event.code);
        next();
      },
    ],
  };
  try {
    const quads = deserialization.toRDF(await expanded(document, options), options);
    // jsonld leaves a quad without object for an item that it drops from a list.
    const whole = quads.filter((quad) => quad.object !== null);
    return { quads: distinctQuads(whole), dropped: [...dropped] };
  } catch (error) {
    const [needed] = needs;
    if (needed !== undefined) {
      const urls = [...new Set([needed, ...world.mentioned(document)])].filter((url) => !world.has(url));
      throw new MissingContexts(needed, urls);
    }
    const message = `JSON-LD refuses the document: ${explain(error)}`;
    throw new ServiceError('invalid_statement', message, { cause: error });
  }
}

/** As `jsonld.expand`. The main module of jsonld would also load an HTTP client, which takes longer than all of jsonld. */
async function expanded(document: object, options: ProcessingOptions): Promise<unknown[]> {
  const activeCtx = contexts.getInitialContext(options);
  const element = await expansion.expand({ activeCtx, element: jsonldUtil.clone(document), options });
  if (element === null) return [];
  const isOnlyGraph = Object.keys(element).length === 1 && '@graph' in element;
  return [isOnlyGraph ? element['@graph'] : element].flat();
}

/** Adds the code of the specification, which jsonld's errors carry beside the message. */
function explain(error: unknown): string {
  if (error instanceof TypeError || error instanceof RangeError)
    return 'the JSON-LD processor cannot handle it';
  const { details } = error as { details?: { code?: string; term?: string; cause?: Error } };
  if (details?.cause instanceof ServiceError) return details.cause.message;
  const specifics = [details?.code, details?.term && `term "${details.term}"`].filter(Boolean).join(', ');
  return specifics ? `${messageOf(error)} (${specifics})` : messageOf(error);
}
