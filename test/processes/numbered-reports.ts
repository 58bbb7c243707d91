import { checkedEvent, keepEvents } from '../../src/domain/control-plane/gateway/events.ts';
import { checkedExchange, keepExchanges } from '../../src/domain/control-plane/gateway/exchanges.ts';
import type { GatewayPorts } from '../../src/domain/control-plane/gateway/ports.ts';
import { checkedState, keepStates } from '../../src/domain/control-plane/gateway/states.ts';
import { sentEvent, sentExchange, sentState } from '../builders/gateway.ts';

export const agentId = 'agent-1';
export const recordsEach = 20;
const bodyLength = 20_000;
const limits = { maxJsonDepth: 8 };

/** The source ids of the exchanges that a batch stores or refers to. Three batches share them. */
export function exchangesOf(number: number): string[] {
  const of = Math.floor(number / 3);
  return Array.from({ length: recordsEach }, (_, at) => `exchange ${of} ${at}`);
}

/**
 * Sends a batch: the first and the last of three are events and states, which refer to the exchanges between them.
 * @returns what the gateway is told, which is the same for a repeat.
 */
export async function report(ports: GatewayPorts, number: number): Promise<string[]> {
  const kind = number % 3;
  const named = exchangesOf(number).map((exchangeSourceId) => ({
    sourceId: `${kind} of ${exchangeSourceId}`,
    exchangeSourceId,
    agentId,
  }));
  if (kind === 0)
    return (
      await keepEvents(
        ports,
        named.map((one) => checkedEvent(sentEvent(one))),
      )
    ).map(({ id }) => id);
  if (kind === 2)
    return (
      await keepStates(
        ports,
        named.map((one) => checkedState(sentState(one), limits)),
      )
    ).map(({ id, stateCid }) => `${id} ${stateCid}`);
  const responseBody = {
    contentType: 'text/plain',
    base64: Buffer.alloc(bodyLength, `${number}`).toString('base64'),
  };
  const exchanges = named.map(({ exchangeSourceId: sourceId }) => ({ sourceId, agentId, responseBody }));
  const kept = await keepExchanges(
    ports,
    exchanges.map((one) => checkedExchange(sentExchange(one))),
  );
  return kept.map(({ exchangeKey }) => exchangeKey);
}
