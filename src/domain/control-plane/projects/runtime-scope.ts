import type { AuditExchanges, SealedPart, StateRecord } from '../gateway/runtime-records.ts';

/** Which records a reader may see: those of one agent in one project. */
export interface RuntimeScope {
  readonly projectUrn: string;
  readonly agentId: string;
}

export function runtimeScope(projectUuid: string, agentId: string): RuntimeScope {
  return { projectUrn: `urn:uuid:${projectUuid}`, agentId };
}

/**
 * Rule 6: a record belongs to the project that it names itself, and to its local agent. Candidates and correlation ids
 * do not count, and a record without a project belongs to none.
 */
export function isInScope<Item extends { readonly projectUrn: string | null; readonly agentId: string }>(
  record: Item,
  { projectUrn, agentId }: RuntimeScope,
): record is InProject<Item> {
  return record.projectUrn === projectUrn && record.agentId === agentId;
}

interface Joined {
  readonly agentId: string;
  readonly projectUrn: string | null;
  readonly exchangeKey: string | null;
}

export type InProject<Item> = Item & { readonly projectUrn: string };
/** A record beside its exchange. */
export type Visible<Item> = InProject<Item> & { readonly exchangeKey: string };

/** Rule 7: a plugin event or state is visible only beside its exchange, to which its exchange key leads. */
export async function besideExchanges<Item extends Joined>(
  exchanges: Pick<AuditExchanges, 'among'>,
  records: readonly Item[],
  scope: RuntimeScope,
): Promise<Visible<Item>[]> {
  const own = records.filter((record) => isInScope(record, scope));
  const keys = [...new Set(own.flatMap(({ exchangeKey }) => exchangeKey ?? []))];
  const found = (await exchanges.among('key', keys, 1)).flat();
  const visible = new Set(
    found.filter((exchange) => isInScope(exchange, scope)).map(({ exchangeKey }) => exchangeKey),
  );
  const hasExchange = (record: InProject<Item>): record is Visible<Item> =>
    record.exchangeKey !== null && visible.has(record.exchangeKey);
  return own.filter(hasExchange);
}

/** Rule 8: a state shows the bytes of a CID only if its attestation references that CID directly. */
export function referencedBlob(
  { children, blobs }: Pick<StateRecord, 'children' | 'blobs'>,
  cid: string,
): SealedPart | undefined {
  return children.includes(cid) ? blobs.find((blob) => blob.cid === cid) : undefined;
}
