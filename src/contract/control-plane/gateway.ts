import { z } from 'zod';
import { mostRecords } from '../../domain/control-plane/gateway/batch.ts';
import { mostBytes } from '../../domain/control-plane/gateway/sent-bytes.ts';
import { isDid, isUuidUrn } from '../../domain/integrity/identifiers/identifiers.ts';
import { parseUtcTime } from '../../domain/integrity/identifiers/timestamp.ts';
import { isObject } from '../../domain/json/is-object.ts';
import { oneOf, onlyWith, patterns, withoutControls } from '../patterns.ts';
import { uuidField, uuidText } from '../values.ts';
import { projectUuid } from './projects.ts';

/** A member that may be missing or null, which is the same. */
function optional<Schema extends z.ZodType>(schema: Schema) {
  return schema.nullish().transform((value) => value ?? null);
}

/** A text of a caller that is kept and shown: no control characters. */
function printable(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .regex(...withoutControls);
}

const sourceId = printable(200).meta({
  description: "The gateway's own id. A repeat with the same content changes nothing.",
  example: 'gw-1/2026-02-01/000017',
});

const agentId = printable(200).meta({ example: 'agent-5f3a' });

const time = z
  .string()
  .max(100)
  .refine(
    (text) => parseUtcTime(text) !== null,
    'must be a time in RFC 3339 form, such as 2026-01-31T12:00:00Z, of the years 0000 to 9999 in UTC',
  )
  .meta({ format: 'date-time', pattern: patterns.dateTime, example: '2026-01-31T12:00:00Z' })
  .transform((text) => parseUtcTime(text) ?? Number.NaN);

const projectUrn = z
  .string()
  .refine(isUuidUrn, 'must be urn:uuid: and the UUID of a project')
  .toLowerCase()
  .meta({ pattern: patterns.uuidUrn, example: 'urn:uuid:0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' });

const did = printable(500)
  .refine(isDid, 'must be a DID')
  .meta({ pattern: patterns.didUrl, example: 'did:key:z6MkiTBz1ymuepAQ4HEHYSF1H8quG5GLVVQR3djdX3mDooWp' });

const base64 = z.string().meta({
  format: 'byte',
  pattern: patterns.base64,
  description: `Canonical base64 (RFC 4648) of at most ${mostBytes} bytes`,
});

const body = z
  .strictObject({
    content_type: z
      .string()
      .max(200)
      .regex(
        /^[A-Za-z0-9_!#$&^.+-]+\/[A-Za-z0-9_!#$&^.+-]+( ?; ?[A-Za-z0-9_-]+=[A-Za-z0-9_.+-]+)*$/,
        'must be a media type',
      )
      .meta({ example: 'application/json' }),
    base64,
  })
  .meta({ id: 'GatewayBody' })
  .transform(({ content_type: contentType, base64 }) => ({ contentType, base64 }));

/** The members that name the exchange of an event or a state. */
const exchangeMembers = {
  exchange_key: optional(uuidField).describe('The key that the service has given to the exchange'),
  exchange_source_id: optional(printable(200)).describe(
    "The gateway's id of the exchange, which may arrive later",
  ),
};

function namesOneExchange(record: { exchange_key: string | null; exchange_source_id: string | null }) {
  return (record.exchange_key === null) !== (record.exchange_source_id === null);
}

const oneExchange = 'must name its exchange by exchange_key or by exchange_source_id, and not by both';

const tokens = z.int().min(0);

export const exchangeRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    project_urn: optional(projectUrn),
    candidate_project_urn: optional(projectUrn).describe('A guess, which grants nothing'),
    occurred_at: time,
    duration_ms: optional(z.number().min(0).max(Number.MAX_SAFE_INTEGER)),
    outcome: z.enum(['ok', 'error', 'denied']),
    model: optional(printable(200)),
    input_tokens: optional(tokens),
    output_tokens: optional(tokens),
    correlation_id: optional(printable(200)).describe('For tracing only; it joins nothing'),
    // With a description they are written out, so that GatewayBody itself is not nullable.
    request_body: optional(body).describe('Null if it was not recorded'),
    response_body: optional(body).describe('Null if it was not recorded'),
  })
  .meta({ id: 'GatewayExchange' });

export const eventRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    ...exchangeMembers,
    kind: printable(100),
    occurred_at: time,
    // A record of zod would drop a member with the name `__proto__`.
    detail: z
      .custom<Readonly<Record<string, unknown>>>(isObject, 'must be an object')
      .nullish()
      .transform((detail) => detail ?? {})
      .meta({ type: 'object', description: 'Any JSON object' }),
  })
  .refine(namesOneExchange, oneExchange)
  .meta({ id: 'GatewayPluginEvent', ...oneOf('exchange_key', 'exchange_source_id') });

export const stateRecord = z
  .strictObject({
    source_id: sourceId,
    agent_id: agentId,
    ...exchangeMembers,
    occurred_at: time,
    attestation: body,
    blobs: z
      .record(z.string(), base64)
      .nullish()
      .transform((blobs) => blobs ?? {})
      .describe('Blobs that the attestation references directly, by their CIDs'),
  })
  .refine(namesOneExchange, oneExchange)
  .meta({ id: 'GatewayState', ...oneOf('exchange_key', 'exchange_source_id') });

export const membershipRecord = z
  .strictObject({
    source_id: sourceId,
    project_uuid: projectUuid,
    agent_id: agentId,
    subject_did: did,
    valid_from: time,
    valid_until: optional(time),
    credential_id: optional(printable(500)),
    status: optional(printable(100)),
  })
  .meta({ id: 'GatewayMembership' });

export const bindingRecord = z
  .strictObject({
    source_id: sourceId,
    project_uuid: projectUuid,
    kind: z.enum(['console', 'operator']),
    console_project_id: optional(printable(200)).describe('Required for console, and only for it'),
  })
  .refine(
    ({ kind, console_project_id: id }) => (kind === 'console') === (id !== null),
    'must have a console_project_id exactly if its kind is console',
  )
  .meta({ id: 'GatewayProjectBinding', ...onlyWith('kind', 'console', 'console_project_id') });

/** A batch of records. */
export function batchOf<Schema extends z.ZodType>(record: Schema) {
  return z.strictObject({ records: z.array(record).min(1).max(mostRecords) });
}

const source = z.object({ source_id: z.string() });
const resultsOf = <Schema extends z.ZodType>(result: Schema) => z.object({ results: z.array(result) });

export const sourceResults = resultsOf(source);
export const exchangeResults = resultsOf(source.extend({ exchange_key: uuidText }));
export const stateResults = resultsOf(source.extend({ state_cid: z.string() }));
