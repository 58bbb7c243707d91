import jsonld from 'jsonld';
import ContextResolver from 'jsonld/lib/ContextResolver.js';
import { expect } from 'vitest';
import type { ServiceError } from '../../src/domain/errors.ts';
import type { ContextWorld } from '../../src/domain/integrity/contexts/world.ts';
import { holdsSilentValues } from '../../src/domain/integrity/identification/coverage.ts';
import { jcs } from '../../src/domain/integrity/identification/jcs.ts';
import { toRdf } from '../../src/domain/integrity/identification/json-ld.ts';
import { canonicalNQuads } from '../../src/domain/integrity/identification/rdfc.ts';
import type { StatementTemplates } from '../../src/domain/integrity/identification/statement-template.ts';
import { inRdf } from '../../src/domain/integrity/statements/references.ts';
import { type Json, thrownBy } from '../builders/statements.ts';

export const limits = { workFactor: 3 };
const rdfType = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#type';

/** The result without templates: canonical N-Quads, and whether jsonld's safe mode accepts the document. */
export async function reference(document: Json, world: ContextWorld) {
  const options = {
    documentLoader: world.loader(new Set()),
    contextResolver: new ContextResolver({ sharedCache: new Map() }),
    safe: true,
  };
  // Without canonicalization, which has limits of its own.
  const isSafe =
    (await thrownBy(() => jsonld.toRDF(structuredClone(document), options as object))) === undefined;
  const { quads } = await toRdf(structuredClone(document), world);
  return {
    nquads: await canonicalNQuads(quads, limits),
    complete: isSafe,
    mayDrop: holdsSilentValues(document) || world.hasSilentTerms(document),
    types: quads.filter(({ predicate }) => predicate.value === rdfType).map(({ object }) => object.value),
  };
}

/** A shape and its values can each need a second document to be learned. */
export const sightings = 3;

/**
 * Compares N-Quads by template with those of jsonld.
 * @returns whether there was a template.
 */
export async function compare(
  templates: StatementTemplates,
  world: ContextWorld,
  document: Json,
): Promise<boolean> {
  for (let round = 0; round < sightings; round += 1) {
    const answer = await templates.apply(document, limits).catch((error: ServiceError) => {
      expect(error.code).toBe('too_complex');
    });
    if (answer) {
      const { types, ...expected } = await reference(document, world);
      expect(answer).toMatchObject(expected);
      expect(types).toEqual(expect.arrayContaining([...answer.types]));
      expect(answer.text('urn:x:id')).toBe(jcs({ ...document, '@id': 'urn:x:id' }));
      for (const name of answer.carried) {
        for (const value of [document[name]].flat())
          expect(inRdf(answer.nquads)(String(value), name)).toBe(true);
      }
      return true;
    }
  }
  return false;
}
