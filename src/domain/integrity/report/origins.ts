import { isComputation } from '../lineage/edges.ts';
import type { Lineage } from '../lineage/graph.ts';

/** A computation in a lineage. Everything is an identifier. */
export interface Step {
  readonly id: string;
  readonly inputs: readonly string[];
  readonly programs: readonly string[];
  readonly operators: readonly string[];
}

/** What things were made from: the computations of an upstream lineage. */
export interface Origins {
  readonly start: string;
  readonly steps: ReadonlyMap<string, Step>;
  /** The steps that made a thing. */
  readonly madeBy: ReadonlyMap<string, readonly string[]>;
  /** At least this many relations of a node are not in the lineage. */
  readonly cut: ReadonlyMap<string, number>;
}

export function originsOf({ start, nodes, edges }: Lineage): Origins {
  const computations = nodes.filter(({ type }) => type !== undefined && isComputation(type));
  const ids = new Set(computations.map(({ id }) => id));
  const madeBy = new Map<string, string[]>();
  const found = new Map([...ids].map((id) => [id, { input: [], computation: [], operatedBy: [] } as Found]));
  for (const { from, to, role } of edges) {
    if (role === 'output' && ids.has(from)) madeBy.getOrInsertComputed(to, () => []).push(from);
    else if (role === 'input' || role === 'computation' || role === 'operatedBy')
      found.get(to)?.[role].push(from);
  }
  const steps = [...found].map(([id, { input, computation, operatedBy }]): [string, Step] => [
    id,
    { id, inputs: input, programs: computation, operators: operatedBy },
  ]);
  const cut = nodes.filter((node) => node.cut > 0).map((node): [string, number] => [node.id, node.cut]);
  return { start, steps: new Map(steps), madeBy, cut: new Map(cut) };
}

type Found = Record<'input' | 'computation' | 'operatedBy', string[]>;
