import { eachRecord } from '../../collections/records.ts';
import type { ErrorDetail } from '../../errors.ts';
import { mapConcurrent } from '../../map-concurrent.ts';
import { assertNoProblems, problemAt } from './batch.ts';
import type { GatewayPorts } from './ports.ts';
import type { AuditExchange, PluginEvent, StateRecord } from './runtime-records.ts';

/** The exchange of an event or a state, by its key or by the gateway's id, which may arrive first. */
export interface ExchangeReference {
  readonly agentId: string;
  readonly exchangeKey: string | null;
  readonly exchangeSourceId: string | null;
}

export type ExchangeLink = Pick<PluginEvent, 'exchangeKey' | 'projectUrn'>;

const updatesAtOnce = 16;
/** More events of one exchange are read page by page. */
const eventsRead = 100;

/**
 * The records with the links to their exchanges, as far as these are known. An exchange of another agent is never
 * joined. @throws ServiceError `invalid_request` for a key that is not that of an exchange of the agent.
 */
export async function linked<Item extends ExchangeReference>(
  { exchanges }: Pick<GatewayPorts, 'exchanges'>,
  items: readonly Item[],
): Promise<(Item & { readonly link: ExchangeLink })[]> {
  const [byKey, bySource] = await Promise.all([
    exchanges.among('key', present(items.map(({ exchangeKey }) => exchangeKey)), 1),
    exchanges.among('bySource', present(items.map(({ exchangeSourceId }) => exchangeSourceId)), 1),
  ]);
  const keys = new Map(byKey.flat().map((exchange) => [exchange.exchangeKey, exchange]));
  const sources = new Map(bySource.flat().map((exchange) => [exchange.sourceId, exchange]));
  const problems: ErrorDetail[] = [];
  const found = items.map((item, index) => {
    const { agentId, exchangeKey, exchangeSourceId } = item;
    const exchange = exchangeKey === null ? sources.get(String(exchangeSourceId)) : keys.get(exchangeKey);
    if (exchange?.agentId === agentId) return { ...item, link: linkTo(exchange) };
    const reason = `the agent "${agentId}" has no exchange "${exchangeKey}"`;
    if (exchangeKey !== null) problems.push(problemAt(index, 'invalid_request', 'exchange_key', reason));
    return { ...item, link: { exchangeKey: null, projectUrn: null } };
  });
  assertNoProblems(problems);
  return found;
}

/**
 * Joins stored events or states whose exchange was not known. They and their exchange are both stored before either
 * looks for the other, so that one of them finds the other even if they arrive at the same time.
 */
export async function joinToExchanges<Item extends PluginEvent | StateRecord>(
  ports: Pick<GatewayPorts, 'exchanges'>,
  stored: readonly Item[],
  join: (item: Item, link: ExchangeLink) => Promise<unknown>,
): Promise<void> {
  const waiting = stored.filter(({ exchangeKey }) => exchangeKey === null);
  if (waiting.length === 0) return;
  await forEach(await linked(ports, waiting), async (item) => {
    if (item.link.exchangeKey !== null) await join(item, item.link);
  });
}

/** Joins the events and states that arrived before their exchanges. */
export async function joinWaiting(
  { events, states }: Pick<GatewayPorts, 'events' | 'states'>,
  exchanges: readonly AuditExchange[],
): Promise<void> {
  const ids = exchanges.map(({ sourceId }) => sourceId);
  const found = await Promise.all(
    [events, states].map((records) => records.among('byExchangeSource', ids, eventsRead)),
  );
  for (const [at, exchange] of exchanges.entries())
    for (const [kind, records] of [events, states].entries())
      if (found[kind]?.[at]?.length) await joinAll(records, exchange);
}

async function joinAll(records: GatewayPorts['events'] | GatewayPorts['states'], exchange: AuditExchange) {
  const all = eachRecord(records as GatewayPorts['events'], 'byExchangeSource', [exchange.sourceId]);
  await forEach(all, async ({ id, agentId, exchangeKey }) => {
    if (exchangeKey === null && agentId === exchange.agentId)
      await records.update(id, { exchangeKey: null }, linkTo(exchange));
  });
}

function linkTo({ exchangeKey, projectUrn }: AuditExchange): ExchangeLink {
  return { exchangeKey, projectUrn };
}

function present(values: readonly (string | null)[]): string[] {
  return values.filter((value) => value !== null);
}

async function forEach<Item>(
  items: Iterable<Item> | AsyncIterable<Item>,
  work: (item: Item) => Promise<unknown>,
): Promise<void> {
  for await (const _ of mapConcurrent(items, updatesAtOnce, work));
}
