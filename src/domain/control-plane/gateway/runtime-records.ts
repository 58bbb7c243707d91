import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { isLogged } from '../../log/appending/logged-kind.ts';
import { reported } from './project-records.ts';

/**
 * Bytes of a record that are kept in a pack of the sealed contents. Read them with `readSealed`, which verifies them.
 */
const sealedPart = z.object({
  /** The name of the pack. */
  name: z.string().min(1),
  /** Where the bytes start in the pack. */
  offset: z.int().min(0),
  size: z.int().min(0),
  /** The CID of the bytes. */
  cid: z.string().min(1),
});

export type SealedPart = Readonly<z.output<typeof sealedPart>>;

/** Sealed bytes with a media type that their sender chose. */
const sealedBody = sealedPart.extend({ contentType: z.string().min(1) });

export type SealedBody = Readonly<z.output<typeof sealedBody>>;

const time = z.int();

/** One request of an agent and the answer to it, as the gateway saw them. */
export const auditExchanges = collection('audit_exchanges', {
  shape: z.object({
    /** Made by this service. A UUID of version 7, so keys are in the order of arrival. */
    exchangeKey: z.uuid(),
    ...reported,
    agentId: z.string().min(1),
    /** `urn:uuid:` and the project. Only this member makes an exchange belong to a project. */
    projectUrn: z.string().nullable(),
    /** What the gateway guesses. It grants nothing. */
    candidateProjectUrn: z.string().nullable(),
    occurredAt: time,
    durationMs: z.number().min(0).nullable(),
    outcome: z.enum(['ok', 'error', 'denied']),
    model: z.string().nullable(),
    /** Missing in records of earlier versions, like those of the answer. */
    inputTokens: z.int().min(0).nullable().default(null),
    outputTokens: z.int().min(0).nullable().default(null),
    /** For tracing only. It joins nothing. */
    correlationId: z.string().nullable(),
    requestBody: sealedBody.nullable(),
    responseBody: sealedBody.nullable(),
    /** The pack of the bodies; null without bodies. */
    pack: z.string().nullable(),
    isLogged,
  }),
  key: 'exchangeKey',
  unique: { bySource: ['sourceId'] },
  indexes: {
    byAgent: ['projectUrn', 'agentId', 'occurredAt'],
    byPack: ['pack'],
    unlogged: ['receivedAt'],
  },
  partial: { unlogged: { isLogged: false } },
});

export type AuditExchange = Readonly<z.output<typeof auditExchanges.shape>>;
export type AuditExchanges = RecordsOf<typeof auditExchanges>;

/** What a record beside an exchange has. */
const besideExchange = {
  ...reported,
  id: z.uuid(),
  agentId: z.string().min(1),
  /** The exchange; null while only its `exchangeSourceId` is known. */
  exchangeKey: z.uuid().nullable(),
  exchangeSourceId: z.string().nullable(),
  /** The project of the exchange. */
  projectUrn: z.string().nullable(),
  occurredAt: time,
  isLogged,
};

/** What a plugin of the gateway did during an exchange. */
export const pluginEvents = collection('plugin_events', {
  shape: z.object({
    ...besideExchange,
    kind: z.string().min(1),
    /** The text of a JSON object, because not every store keeps every member name and number. */
    detail: z.string(),
  }),
  key: 'id',
  unique: { bySource: ['sourceId'] },
  indexes: {
    byExchange: ['exchangeKey', 'occurredAt'],
    byExchangeSource: ['exchangeSourceId'],
    byAgent: ['projectUrn', 'agentId', 'occurredAt'],
    unlogged: ['receivedAt'],
  },
  partial: { unlogged: { isLogged: false } },
});

export type PluginEvent = Readonly<z.output<typeof pluginEvents.shape>>;
export type PluginEvents = RecordsOf<typeof pluginEvents>;

/** The attested state of an agent at an exchange. */
export const stateRecords = collection('state_records', {
  shape: z.object({
    ...besideExchange,
    /** The CID of the attestation's bytes. */
    stateCid: z.string().min(1),
    attestation: sealedBody,
    /** The CIDs that the attestation references directly. */
    children: z.array(z.string()),
    /** The children whose bytes came with this record. See `state-blobs.ts`. */
    blobs: z.array(sealedPart),
    pack: z.string(),
  }),
  key: 'id',
  unique: { bySource: ['sourceId'] },
  indexes: {
    byExchange: ['exchangeKey', 'occurredAt'],
    byExchangeSource: ['exchangeSourceId'],
    byStateCid: ['stateCid', 'agentId'],
    byAgent: ['projectUrn', 'agentId', 'occurredAt'],
    byPack: ['pack'],
    unlogged: ['receivedAt'],
  },
  partial: { unlogged: { isLogged: false } },
});

export type StateRecord = Readonly<z.output<typeof stateRecords.shape>>;
export type StateRecords = RecordsOf<typeof stateRecords>;
