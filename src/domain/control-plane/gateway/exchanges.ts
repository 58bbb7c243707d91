import { assertActive, contentDigest } from './batch.ts';
import { joinWaiting } from './joining.ts';
import type { GatewayPorts } from './ports.ts';
import type { AuditExchange, SealedBody, SealedPart } from './runtime-records.ts';
import { insertSealed } from './sealed-contents.ts';
import { type Body, bodyOf, type SentBody } from './sent-bytes.ts';

type Content = Pick<
  AuditExchange,
  | 'sourceId'
  | 'agentId'
  | 'projectUrn'
  | 'candidateProjectUrn'
  | 'occurredAt'
  | 'durationMs'
  | 'outcome'
  | 'model'
  | 'correlationId'
  | 'inputTokens'
  | 'outputTokens'
>;

export interface SentExchange extends Content {
  readonly requestBody: SentBody | null;
  readonly responseBody: SentBody | null;
}

export interface CheckedExchange extends Content {
  readonly bytes: readonly [request: Body | null, response: Body | null];
  readonly digest: string;
}

/** @throws ServiceError `invalid_request`, `too_large`, with a pointer into the record. */
export function checkedExchange({ requestBody, responseBody, ...content }: SentExchange): CheckedExchange {
  const bytes = [
    requestBody && bodyOf(requestBody, '/request_body'),
    responseBody && bodyOf(responseBody, '/response_body'),
  ] as const;
  const bodies = bytes.map((body) => body && [body.contentType, body.cid.text]);
  return { ...content, bytes, digest: contentDigest({ ...withoutUntold(content), bodies }) };
}

/** Digests of versions that knew no tokens stay the same. */
function withoutUntold({ inputTokens, outputTokens, ...content }: Content): object {
  return {
    ...content,
    ...(inputTokens !== null && { inputTokens }),
    ...(outputTokens !== null && { outputTokens }),
  };
}

/** @returns the stored exchanges, in order. @throws ServiceError as `assertActive` and `insertOnce`. */
export async function keepExchanges(
  ports: GatewayPorts,
  sent: readonly CheckedExchange[],
): Promise<readonly AuditExchange[]> {
  await assertActive(ports, sent);
  const receivedAt = ports.now().getTime();
  const stored = await insertSealed(
    ports.exchanges,
    ports,
    sent,
    ({ bytes: [request, response], ...content }, [requestPart, responsePart]) => ({
      ...content,
      exchangeKey: ports.newId(),
      requestBody: sealedBodyOf(request, requestPart),
      responseBody: sealedBodyOf(response, responsePart),
      pack: requestPart?.name ?? responsePart?.name ?? null,
      receivedAt,
      isLogged: false,
    }),
  );
  await joinWaiting(ports, stored);
  return stored;
}

function sealedBodyOf(body: Body | null, part: SealedPart | null | undefined): SealedBody | null {
  return body && part ? { ...part, contentType: body.contentType } : null;
}
