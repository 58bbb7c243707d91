import type { PluginEvent, PluginEvents } from '../gateway/plugin-events.ts';
import type { StateRecord, StateRecords } from '../gateway/state-records.ts';
import { isInScope, type RuntimeScope } from '../projects/runtime-scope.ts';

/** What was reported beside an exchange. */
export interface ExchangeParts {
  readonly events: readonly PluginEvent[];
  readonly states: readonly StateRecord[];
}

/** The first parts of an exchange. */
const partsRead = 200;

/** @param exchangeKey of an exchange in this scope. */
export async function exchangeParts(
  {
    pluginEvents,
    states,
  }: { readonly pluginEvents: Pick<PluginEvents, 'page'>; readonly states: Pick<StateRecords, 'page'> },
  scope: RuntimeScope,
  exchangeKey: string,
): Promise<ExchangeParts> {
  const request = { after: null, limit: partsRead };
  const [beside, attested] = await Promise.all([
    pluginEvents.page('byExchange', [exchangeKey], request),
    states.page('byExchange', [exchangeKey], request),
  ]);
  return {
    events: beside.records.filter((event) => isInScope(event, scope)),
    states: attested.records.filter((state) => isInScope(state, scope)),
  };
}
