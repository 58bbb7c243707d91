import { ContextWorld, contextDocument } from '../../src/domain/integrity/contexts/world.ts';
import { StatementIdentifier } from '../../src/domain/integrity/identification/identify.ts';
import { MissingContexts, unknownContext } from '../../src/domain/integrity/identification/json-ld.ts';
import { sha256Digest } from '../../src/domain/integrity/identifiers/hashing.ts';
import type { ProofPorts } from '../../src/domain/integrity/proofs/data-integrity.ts';
import type { Canonicalizer } from '../../src/domain/integrity/proofs/proof.ts';

/** The context of the examples of W3C, which no package has. */
const examples = { '@context': { '@vocab': 'https://www.w3.org/ns/credentials/examples#' } };

/** Canonicalizes in this thread, under the bundled contexts and these. */
export function canonicalizer(
  contexts: Readonly<Record<string, object>> = {},
): Canonicalizer & ProofPorts['identifier'] {
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
  return {
    canonicalNQuads: async (documents) => await Promise.all(documents.map(nquads)),
    canonicalDigests: async (documents) => (await Promise.all(documents.map(nquads))).map(sha256Digest),
  };
}
