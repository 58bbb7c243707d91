import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { sealedBody } from './sealed-part.ts';

const time = z.int();

/** One request of an agent and the answer to it, as the gateway saw them. */
export const auditExchanges = collection('audit_exchanges', {
  shape: z.object({
    /** Made by this service. A UUID of version 7, so keys are in the order of arrival. */
    exchangeKey: z.uuid(),
    /** The gateway's own id. */
    sourceId: z.string().min(1),
    agentId: z.string().min(1),
    /** `urn:uuid:` and the project. Only this member makes an exchange belong to a project. */
    projectUrn: z.string().nullable(),
    /** What the gateway guesses. It grants nothing. */
    candidateProjectUrn: z.string().nullable(),
    occurredAt: time,
    durationMs: z.number().min(0).nullable(),
    outcome: z.enum(['ok', 'error', 'denied']),
    model: z.string().nullable(),
    /** For tracing only. It joins nothing. */
    correlationId: z.string().nullable(),
    requestBody: sealedBody.nullable(),
    responseBody: sealedBody.nullable(),
    /** The pack of the bodies; null without bodies. */
    pack: z.string().nullable(),
    /** The digest of what was sent, to tell a repeat from a contradiction. */
    digest: z.string().min(1),
    receivedAt: time,
  }),
  key: 'exchangeKey',
  unique: { bySource: ['sourceId'] },
  indexes: { byAgent: ['projectUrn', 'agentId', 'occurredAt'], byPack: ['pack'] },
});

export type AuditExchange = Readonly<z.output<typeof auditExchanges.shape>>;
export type AuditExchanges = RecordsOf<typeof auditExchanges>;
