import { ServiceError } from '../../errors.ts';
import { yieldToEventLoop } from '../../yield-to-event-loop.ts';
import { mostRecords } from '../gateway/batch.ts';
import { type CheckedEvent, checkedEvent, keepEvents } from '../gateway/events.ts';
import { type CheckedExchange, checkedExchange, keepExchanges } from '../gateway/exchanges.ts';
import type { ExchangeReference } from '../gateway/joining.ts';
import type { GatewayPorts } from '../gateway/ports.ts';
import { type AgentsOfServices, type Report, reportsOf, stepIdsOf, stepsWithCalls } from './reports.ts';
import { type Rejected, type Span, spansIn } from './spans.ts';

export interface KeptTraces {
  readonly exchanges: number;
  readonly events: number;
  /** Why others were not kept, one reason for each. */
  readonly rejected: readonly string[];
}

const readAtOnce = 100;

/**
 * Keeps what the spans of a request report about agents. A span that is not accepted stops no other.
 * @param request in the JSON form of OTLP. @throws ServiceError `unavailable`.
 */
export async function keepTraces(
  ports: GatewayPorts,
  services: AgentsOfServices,
  request: unknown,
): Promise<KeptTraces> {
  const rejected: string[] = [];
  const accepted = <Value>(value: Value | Rejected): value is Value => {
    const isRejected = typeof value === 'object' && value !== null && 'reason' in value;
    if (isRejected) rejected.push((value as Rejected).reason);
    return !isRejected;
  };
  const spans: Span[] = [];
  for await (const span of slowly(spansIn(request))) if (accepted<Span>(span)) spans.push(span);
  const exchanges: CheckedExchange[] = [];
  const events: CheckedEvent[] = [];
  const take = (report: Report | Rejected) => {
    if (!accepted<Report>(report)) return;
    try {
      if ('exchange' in report) exchanges.push(checkedExchange(report.exchange));
      else events.push(checkedEvent(report.event));
    } catch (error) {
      rejected.push(reasonOf(error));
    }
  };
  for await (const report of slowly(reportsOf(spans, services))) take(report);
  const callers = await callersOf(ports, spans, events);
  for await (const report of slowly(stepsWithCalls(spans, callers))) take(report);
  return {
    exchanges: await keepAccepted(exchanges, (some) => keepExchanges(ports, some), rejected),
    events: await keepAccepted(events, (some) => keepEvents(ports, some), rejected),
    rejected,
  };
}

/** The agents of calls of tools, by the source ids that these name. A call may have arrived before the step that it names. */
async function callersOf(
  { events }: Pick<GatewayPorts, 'events'>,
  spans: readonly Span[],
  calls: readonly CheckedEvent[],
): Promise<Map<string, string>> {
  const callers = new Map<string, string>();
  const add = (call: ExchangeReference) => callers.set(String(call.exchangeSourceId), call.agentId);
  const steps = stepIdsOf(spans);
  for (let start = 0; start < steps.length; start += mostRecords) {
    const ids = steps.slice(start, start + mostRecords);
    for (const call of (await events.among('byExchangeSource', ids, 1)).flat()) add(call);
  }
  for (const call of calls) add(call);
  return callers;
}

async function* slowly<Item>(items: Iterable<Item>): AsyncGenerator<Item> {
  let count = 0;
  for (const item of items) {
    if (count % readAtOnce === 0) await yieldToEventLoop();
    count += 1;
    yield item;
  }
}

/** Keeps records, and leaves out those that are refused. @returns how many were kept. */
async function keepAccepted<One>(
  records: readonly One[],
  keep: (some: readonly One[]) => Promise<unknown>,
  rejected: string[],
): Promise<number> {
  let kept = 0;
  for (let start = 0; start < records.length; start += mostRecords) {
    let rest = records.slice(start, start + mostRecords);
    while (rest.length > 0) {
      const refused = await keep(rest).then(
        () => new Map<number, string>(),
        (error: unknown) => refusedIn(error),
      );
      if (refused.size === 0) {
        kept += rest.length;
        break;
      }
      rejected.push(...refused.values());
      rest = rest.filter((_, at) => !refused.has(at));
    }
  }
  return kept;
}

/** The reasons by the index of the record. */
function refusedIn(error: unknown): Map<number, string> {
  const details = error instanceof ServiceError ? (error.details ?? []) : [];
  const refused = new Map(
    details.flatMap(({ index, reason }) => (index === undefined ? [] : [[index, reason]])),
  );
  if (refused.size === 0) throw error;
  return refused;
}

function reasonOf(error: unknown): string {
  if (error instanceof ServiceError) return error.message.replace(/\.$/, '');
  throw error;
}
