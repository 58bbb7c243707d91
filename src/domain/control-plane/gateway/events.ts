import type { JsonObject } from '../../json/is-object.ts';
import { assertActive, contentDigest, insertOnce } from './batch.ts';
import { type ExchangeReference, joinToExchanges, linked } from './joining.ts';
import type { GatewayPorts } from './ports.ts';
import type { PluginEvent } from './runtime-records.ts';
import { failAt } from './sent-bytes.ts';

/** The longest detail of an event, as JSON in UTF-16. */
export const detailLength = 64 << 10;

export interface SentEvent extends ExchangeReference {
  readonly sourceId: string;
  readonly kind: string;
  readonly occurredAt: number;
  readonly detail: JsonObject;
}

export interface CheckedEvent extends Omit<SentEvent, 'detail'> {
  readonly detail: string;
  readonly digest: string;
}

/** @throws ServiceError `too_large`, with a pointer into the record. */
export function checkedEvent(sent: SentEvent): CheckedEvent {
  const detail = JSON.stringify(sent.detail);
  if (detail.length > detailLength)
    failAt('/detail', 'too_large', `has more than ${detailLength} characters`);
  return { ...sent, detail, digest: contentDigest(sent) };
}

/** @returns the stored events, in order. @throws ServiceError as `assertActive`, `linked` and `insertOnce`. */
export async function keepEvents(
  ports: GatewayPorts,
  sent: readonly CheckedEvent[],
): Promise<readonly PluginEvent[]> {
  const { events, newId, now } = ports;
  await assertActive(ports, sent);
  const receivedAt = now().getTime();
  const withLinks = await linked(ports, sent);
  const stored = await insertOnce(events, 'bySource', withLinks, async (fresh) =>
    fresh.map(({ link, ...content }) => ({ ...content, ...link, id: newId(), receivedAt, isLogged: false })),
  );
  await joinToExchanges(ports, stored, ({ id }, link) => events.update(id, { exchangeKey: null }, link));
  return stored;
}
