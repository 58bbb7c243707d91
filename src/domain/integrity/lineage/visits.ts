import type { Flow } from './edges.ts';

/** The statements to look up for a node. `uses` finds what it registered, operated or was used in: often very many. */
interface Question {
  readonly flows: readonly Flow[];
  readonly facts: boolean;
  readonly uses: boolean;
}

export interface Visit extends Question {
  readonly id: string;
}

const nodesAtOnce = 50;

/** Groups visits with the same question. Drops visits without a question. */
export function alike(visits: readonly Visit[], atOnce = nodesAtOnce): Visit[][] {
  const asking = visits.filter(({ flows, facts }) => facts || flows.length > 0);
  const groups = Object.groupBy(asking, ({ flows, facts, uses }) =>
    [facts, uses, ...flows.toSorted()].join(' '),
  );
  return Object.values(groups).flatMap((group = []) =>
    Array.from({ length: Math.ceil(group.length / atOnce) }, (_, at) =>
      group.slice(at * atOnce, (at + 1) * atOnce),
    ),
  );
}
