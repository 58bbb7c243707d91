import { ContextRegistry } from '../../domain/integrity/contexts/contexts.ts';
import { ContextWorld } from '../../domain/integrity/contexts/world.ts';
import {
  type IdentifiedStatement,
  StatementIdentifier,
} from '../../domain/integrity/identification/identify.ts';
import { MissingContexts, unknownContext } from '../../domain/integrity/identification/json-ld.ts';
import { sha256Digest } from '../../domain/integrity/identifiers/hashing.ts';
import type { ContextSource } from '../../domain/integrity/ports.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { failUsage } from '../terminal/failure.ts';

const options = {
  generateId: true,
  strict: false,
  reportCoverage: true,
  /** The greatest depth that CAIRN_MAX_JSON_DEPTH allows. */
  maxDepth: 256,
  /** Enough for every test vector of RDFC-1.0. */
  workFactor: 3,
  cpuMs: 60_000,
};

/** Computes the CIDs of statements in this process, with the bundled contexts and those of the sources. */
export class LocalIdentifier {
  readonly #registry: ContextRegistry;
  readonly #identifier: StatementIdentifier;

  constructor(sources: readonly ContextSource[]) {
    this.#registry = new ContextRegistry(ContextWorld.bundled(), sources);
    this.#identifier = new StatementIdentifier(this.#registry.world);
  }

  /**
   * @throws ServiceError if the bytes are not a valid statement.
   * @throws Failure (usage) if no source has a context, because then the statement cannot be verified.
   */
  async identify(bytes: Uint8Array): Promise<IdentifiedStatement> {
    const missing = ({ needed }: MissingContexts) =>
      failUsage(
        `The context ${needed} is not known here, so the statement cannot be verified. Put its document into a folder, as cid/<cid> for urn:cid:<cid> or https/<host>/<path> for a URL, and name the folder with --contexts or CAIRN_CONTEXTS_DIR.`,
      );
    return await this.#withContexts(() => this.#identifier.identify(bytes, options), missing);
  }

  /**
   * As `Identifier` makes them.
   * @throws ServiceError `unknown_context` if no source has a context.
   */
  async canonicalNQuads(documents: readonly Uint8Array[]): Promise<string[]> {
    const { maxDepth, workFactor, cpuMs } = options;
    const missing = (error: MissingContexts): never => {
      throw unknownContext(error);
    };
    const texts: string[] = [];
    for (const bytes of documents) {
      const document = parseStrictJson(bytes, { maxDepth, exactNumbers: true }) as Record<string, unknown>;
      const nquads = () => this.#identifier.nquads(document, { workFactor, cpuMs, covered: true });
      texts.push(await this.#withContexts(nquads, missing));
    }
    return texts;
  }

  /** As `Identifier` makes them. */
  async canonicalDigests(documents: readonly Uint8Array[]): Promise<Uint8Array[]> {
    return (await this.canonicalNQuads(documents)).map(sha256Digest);
  }

  /** Repeats the work with more contexts, until it has all or one cannot be found. */
  async #withContexts<Result>(work: () => Promise<Result>, refuse: (error: MissingContexts) => never) {
    const tried = new Set<string>();
    for (;;) {
      try {
        return await work();
      } catch (error) {
        if (!(error instanceof MissingContexts)) throw error;
        if (tried.has(error.needed)) refuse(error);
        for (const url of error.urls) tried.add(url);
        await this.#registry.resolve(error.urls);
      }
    }
  }
}
