import { z } from '@hono/zod-openapi';
import { withoutControls } from '../../../contract/plain-text.ts';
import { mostBytes, type SentBody } from '../../../domain/control-plane/gateway/sent-bytes.ts';
import { isDid, isUuidUrn } from '../../../domain/integrity/identifiers/identifiers.ts';
import { parseUtcTime } from '../../../domain/integrity/identifiers/timestamp.ts';
import { isObject, type JsonObject } from '../../../domain/json/is-object.ts';

/** A text of a caller that is kept and shown: no control characters. */
export function printable(most: number) {
  return z
    .string()
    .min(1)
    .max(most)
    .regex(...withoutControls);
}

export const sourceId = printable(200).openapi({
  description: "The gateway's own id. A repeat with the same content changes nothing.",
  example: 'gw-1/2026-02-01/000017',
});

export const agentId = printable(200).openapi({ example: 'agent-5f3a' });

export const time = z
  .string()
  .max(100)
  .refine(
    (text) => parseUtcTime(text) !== null,
    'must be a time in RFC 3339 form, such as 2026-01-31T12:00:00Z, of the years 0000 to 9999 in UTC',
  )
  .openapi({ format: 'date-time', example: '2026-01-31T12:00:00Z' });

/** @param text that the schema has accepted. */
export function timeOf(text: string): number {
  return parseUtcTime(text) ?? Number.NaN;
}

export const projectUrn = z
  .string()
  .refine(isUuidUrn, 'must be urn:uuid: and the UUID of a project')
  .openapi({ example: 'urn:uuid:0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4' });

export const did = printable(500).refine(isDid, 'must be a DID').openapi({ example: 'did:key:z6Mk…' });

const base64 = z.string().openapi({
  format: 'byte',
  description: `Canonical base64 (RFC 4648) of at most ${mostBytes} bytes`,
});

export const blobs = z
  .record(z.string(), base64)
  .openapi({ description: 'Blobs that the attestation references directly, by their CIDs' });

export const body = z
  .strictObject({
    content_type: z
      .string()
      .max(200)
      .regex(
        /^[A-Za-z0-9_!#$&^.+-]+\/[A-Za-z0-9_!#$&^.+-]+(?: ?; ?[A-Za-z0-9_-]+=[A-Za-z0-9_.+-]+)*$/,
        'must be a media type',
      )
      .openapi({ example: 'application/json' }),
    base64,
  })
  .openapi('GatewayBody');

export function bodyMember(given: z.output<typeof body>): SentBody {
  return { contentType: given.content_type, base64: given.base64 };
}

/** A record of zod would drop a member with the name `__proto__`. */
export const detail = z
  .custom<JsonObject>(isObject, 'must be an object')
  .nullish()
  .openapi({ type: 'object', description: 'Any JSON object' });

/** The members that name the exchange of an event or a state. */
export const exchangeMembers = {
  exchange_key: z
    .uuid()
    .toLowerCase()
    .nullish()
    .describe('The key that the service has given to the exchange'),
  exchange_source_id: printable(200)
    .nullish()
    .describe("The gateway's id of the exchange, which may arrive later"),
};

export function namesOneExchange(record: {
  readonly exchange_key?: unknown;
  readonly exchange_source_id?: unknown;
}): boolean {
  return ((record.exchange_key ?? null) === null) !== ((record.exchange_source_id ?? null) === null);
}

export const oneExchange = 'must name its exchange by exchange_key or by exchange_source_id, and not by both';
