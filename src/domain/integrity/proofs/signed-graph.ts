import canonize, { type Quad, type Term } from 'rdf-canonize';
import { rdfType } from '../identification/rdfc.ts';
import { cannotCheck, shown } from './proof.ts';

const mostCandidates = 10;

/**
 * The default graph that a proof signed. What it says follows from the signed N-Quads alone: no context, order or nesting
 * of a JSON document changes it.
 */
export class SignedGraph {
  readonly #quads = new Map<string, Quad[]>();

  /** @param nquads canonical N-Quads. */
  constructor(nquads: string) {
    // Line by line, because the parser compares each quad with all before it.
    for (const line of nquads.split('\n')) {
      const quad = quadIn(line);
      if (quad?.graph.termType === 'DefaultGraph')
        this.#quads.getOrInsertComputed(keyOf(quad.subject), () => []).push(quad);
    }
  }

  /**
   * The node that the graph is about: the only one with such a quad that leads to all others. Without this rule, a
   * document could be turned round, so that something that it only mentions looks like the document itself.
   */
  root(isTelling: (quad: Quad) => boolean): Term | undefined {
    const telling = [...this.#quads.values()].flatMap((quads) => quads.find(isTelling) ?? []);
    if (telling.length > mostCandidates) return undefined;
    const [root, ...others] = telling.filter(({ subject }) => this.#leadsToAll(subject));
    return others.length === 0 ? root?.subject : undefined;
  }

  /** The root, which has this type. */
  rootOfType(iri: string): Term | undefined {
    return this.root(({ predicate, object }) => predicate.value === rdfType && object.value === iri);
  }

  /** The values of a node for any of these properties. */
  objects(subject: Term, predicates: readonly string[]): Term[] {
    const quads = this.#quads.get(keyOf(subject)) ?? [];
    return quads.filter(({ predicate }) => predicates.includes(predicate.value)).map(({ object }) => object);
  }

  types(subject: Term): string[] {
    return this.objects(subject, [rdfType]).map(({ value }) => value);
  }

  #leadsToAll(start: Term): boolean {
    const reached = new Set([keyOf(start)]);
    for (const key of reached)
      for (const { object } of this.#quads.get(key) ?? [])
        if (this.#quads.has(keyOf(object))) reached.add(keyOf(object));
    return reached.size === this.#quads.size;
  }
}

function quadIn(line: string): Quad | undefined {
  try {
    return canonize.NQuads.parse(line)[0];
  } catch {
    cannotCheck({ code: 'unreadable_quad', quad: shown(line) });
  }
}

function keyOf({ termType, value }: Term): string {
  return `${termType} ${value}`;
}
