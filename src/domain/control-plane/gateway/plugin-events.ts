import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';

const time = z.int();

/** What a plugin of the gateway did during an exchange. */
export const pluginEvents = collection('plugin_events', {
  shape: z.object({
    id: z.uuid(),
    /** The gateway's own id. */
    sourceId: z.string().min(1),
    agentId: z.string().min(1),
    /** The exchange; null while only its `exchangeSourceId` is known. */
    exchangeKey: z.uuid().nullable(),
    exchangeSourceId: z.string().nullable(),
    /** The project of the exchange. */
    projectUrn: z.string().nullable(),
    kind: z.string().min(1),
    occurredAt: time,
    /** The text of a JSON object, because not every store keeps every member name and number. */
    detail: z.string(),
    /** The digest of what was sent, to tell a repeat from a contradiction. */
    digest: z.string().min(1),
    receivedAt: time,
  }),
  key: 'id',
  unique: { bySource: ['sourceId'] },
  indexes: {
    byExchange: ['exchangeKey', 'occurredAt'],
    byExchangeSource: ['exchangeSourceId'],
    byAgent: ['projectUrn', 'agentId', 'occurredAt'],
  },
});

export type PluginEvent = Readonly<z.output<typeof pluginEvents.shape>>;
export type PluginEvents = RecordsOf<typeof pluginEvents>;
