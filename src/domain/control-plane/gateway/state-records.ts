import { z } from 'zod';
import { collection, type RecordsOf } from '../../collections/collection.ts';
import { sealedBody, sealedPart } from './sealed-part.ts';

const time = z.int();

/** The attested state of an agent at an exchange. */
export const stateRecords = collection('state_records', {
  shape: z.object({
    id: z.uuid(),
    /** The gateway's own id. */
    sourceId: z.string().min(1),
    /** The CID of the attestation's bytes. */
    stateCid: z.string().min(1),
    agentId: z.string().min(1),
    /** The exchange; null while only its `exchangeSourceId` is known. */
    exchangeKey: z.uuid().nullable(),
    exchangeSourceId: z.string().nullable(),
    /** The project of the exchange. */
    projectUrn: z.string().nullable(),
    occurredAt: time,
    attestation: sealedBody,
    /** The CIDs that the attestation references directly. */
    children: z.array(z.string()),
    /** The children whose bytes came with this record. See `state-blobs.ts`. */
    blobs: z.array(sealedPart),
    pack: z.string(),
    /** The digest of what was sent, to tell a repeat from a contradiction. */
    digest: z.string().min(1),
    receivedAt: time,
  }),
  key: 'id',
  unique: { bySource: ['sourceId'] },
  indexes: {
    byExchange: ['exchangeKey', 'occurredAt'],
    byExchangeSource: ['exchangeSourceId'],
    byStateCid: ['stateCid', 'agentId'],
    byAgent: ['projectUrn', 'agentId', 'occurredAt'],
    byPack: ['pack'],
  },
});

export type StateRecord = Readonly<z.output<typeof stateRecords.shape>>;
export type StateRecords = RecordsOf<typeof stateRecords>;
