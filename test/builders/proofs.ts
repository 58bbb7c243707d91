import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { MissingContexts, unknownContext } from '../../src/domain/integrity/identification/json-ld.ts';
import type { Canonicalizer } from '../../src/domain/integrity/proofs/proof.ts';

/** The context of the examples of W3C, which no package has. */
const examples = { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } };

/** Canonicalizes in this thread, under the bundled contexts and these. */
export function canonicalizer(contexts: Readonly<Record<string, object>> = {}): Canonicalizer {
  const world = ContextWorld.bundled();
  const all = { 'https://www.w3.org/ns/credentials/examples/v2': examples, ...contexts };
  for (const [url, document] of Object.entries(all))
    world.add(contextDocument(url, JSON.stringify(document)));
  const identifier = new StatementIdentifier(world);
  const nquads = async (bytes: Uint8Array) => {
    try {
      const document = JSON.parse(Buffer.from(bytes).toString());
      return await identifier.nquads(document, { workFactor: 1, covered: true });
    } catch (error) {
      throw error instanceof MissingContexts ? unknownContext(error) : error;
    }
  };
  return { canonicalNQuads: async (documents) => await Promise.all(documents.map(nquads)) };
}
