import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import type { Claim, Trust, TrustReader } from '../signatures/trust.ts';
import type { Lineage } from './graph.ts';

const claimsAtOnce = 500;

/** The trust in each statement that is a node or makes an edge, by id. */
export async function trustInLineage(
  trust: TrustReader,
  { nodes, edges }: Lineage,
): Promise<ReadonlyMap<string, Trust>> {
  const registrants = new Map(edges.map(({ statement, registeredBy }) => [statement, registeredBy]));
  for (const { id, kind } of nodes)
    if (kind === 'statement' && !registrants.has(id)) registrants.set(id, undefined);
  const claims = Array.from(registrants, ([id, registeredBy]): Claim => ({ id, registeredBy }));
  const found = new Map<string, Trust>();
  for (let at = 0; at < claims.length; at += claimsAtOnce) {
    for (const [id, one] of await trust(claims.slice(at, at + claimsAtOnce))) found.set(id, one);
    await yieldToEventLoop();
  }
  return found;
}
