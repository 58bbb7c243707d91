import type { NameIndex } from '../names/name-index.ts';
import type { StatementScope } from '../ports.ts';
import type { Lineage } from './graph.ts';

/** The lineage with the names of its nodes. */
export async function namedLineage(
  names: Pick<NameIndex, 'of'>,
  lineage: Lineage,
  scope: StatementScope,
): Promise<Lineage> {
  const found = await names.of(
    lineage.nodes.map(({ id }) => id),
    scope,
  );
  const nodes = lineage.nodes.map((node) => {
    const name = found.get(node.id);
    return name === undefined ? node : { ...node, name };
  });
  return { ...lineage, nodes };
}
