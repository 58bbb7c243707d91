import { eachRecord, type Page, type PageRequest } from '../../collections/records.ts';
import { ServiceError } from '../../errors.ts';
import type {
  AuditExchange,
  AuditExchanges,
  PluginEvent,
  PluginEvents,
  SealedBody,
  SealedPart,
  StateRecord,
  StateRecords,
} from '../gateway/runtime-records.ts';
import type { StateBlobs } from '../gateway/state-blobs.ts';

export interface RuntimeRecords {
  readonly exchanges: Pick<AuditExchanges, 'get' | 'page' | 'among'>;
  readonly pluginEvents: Pick<PluginEvents, 'page'>;
  readonly states: Pick<StateRecords, 'get' | 'page'>;
  readonly stateBlobs: Pick<StateBlobs, 'page'>;
}

interface Span {
  /** Milliseconds since 1970: from `from`, before `until`. Null is open. */
  readonly from: number | null;
  readonly until: number | null;
}

export interface ExchangeFilter extends Span {
  readonly outcome: AuditExchange['outcome'] | null;
  readonly model: string | null;
}

const prefixOf = ({ projectUrn, agentId }: RuntimeScope) => [projectUrn, agentId];

/** Exchanges by their time. @throws ServiceError `invalid_request` for a cursor of another list. */
export async function listExchanges(
  { exchanges }: Pick<RuntimeRecords, 'exchanges'>,
  scope: RuntimeScope,
  { from, until, outcome, model }: ExchangeFilter,
  request: PageRequest,
): Promise<Page<InProject<AuditExchange>>> {
  const where = { ...(outcome !== null && { outcome }), ...(model !== null && { model }) };
  const range = { from, until };
  const page = await exchanges.page('byAgent', prefixOf(scope), { ...request, range, where });
  return { ...page, records: page.records.filter((exchange) => isInScope(exchange, scope)) };
}

/** @throws ServiceError `not_found`. */
export async function exchangeIn(
  { exchanges }: Pick<RuntimeRecords, 'exchanges'>,
  scope: RuntimeScope,
  exchangeKey: string,
): Promise<InProject<AuditExchange>> {
  const exchange = await exchanges.get(exchangeKey);
  if (exchange && isInScope(exchange, scope)) return exchange;
  throw new ServiceError('not_found', `This agent has no exchange ${exchangeKey} in this project.`);
}

/** @throws ServiceError `not_found`. */
export async function bodyIn(
  records: Pick<RuntimeRecords, 'exchanges'>,
  scope: RuntimeScope,
  exchangeKey: string,
  side: 'request' | 'response',
): Promise<SealedBody> {
  const { requestBody, responseBody } = await exchangeIn(records, scope, exchangeKey);
  const body = side === 'request' ? requestBody : responseBody;
  if (body) return body;
  throw new ServiceError('not_found', `The ${side} body of exchange ${exchangeKey} was not recorded.`);
}

/** Plugin events by their time. @throws ServiceError `invalid_request` for a cursor of another list. */
export async function listPluginEvents(
  { exchanges, pluginEvents }: RuntimeRecords,
  scope: RuntimeScope,
  range: Span,
  request: PageRequest,
): Promise<Page<Visible<PluginEvent>>> {
  const page = await pluginEvents.page('byAgent', prefixOf(scope), { ...request, range });
  return { ...page, records: await besideExchanges(exchanges, page.records, scope) };
}

/** States by their time. @throws ServiceError `invalid_request` for a cursor of another list. */
export async function listStates(
  { exchanges, states }: RuntimeRecords,
  scope: RuntimeScope,
  range: Span,
  request: PageRequest,
): Promise<Page<Visible<StateRecord>>> {
  const page = await states.page('byAgent', prefixOf(scope), { ...request, range });
  return { ...page, records: await besideExchanges(exchanges, page.records, scope) };
}

/** The attestation of a state. @throws ServiceError `not_found`. */
export async function attestationIn(
  records: RuntimeRecords,
  scope: RuntimeScope,
  stateCid: string,
): Promise<SealedBody> {
  for await (const { attestation } of statesWith(records, scope, stateCid)) return attestation;
  return throwUnknownState(stateCid);
}

/**
 * The bytes of a CID that the attestation of a state references directly, from this state or another one of the same agent
 * and project. @throws ServiceError `not_found`.
 */
export async function childBlobIn(
  records: RuntimeRecords,
  scope: RuntimeScope,
  stateCid: string,
  cid: string,
): Promise<SealedPart> {
  let [isKnown, isReferenced] = [false, false];
  // The same state may have been reported several times, and not always with its blobs.
  for await (const state of statesWith(records, scope, stateCid)) {
    const part = referencedBlob(state, cid);
    if (part) return part;
    isKnown = true;
    isReferenced ||= state.children.includes(cid);
  }
  if (!isKnown) throwUnknownState(stateCid);
  const part = isReferenced ? await blobOfOthers(records, scope, cid) : undefined;
  if (part) return part;
  throw new ServiceError('not_found', `The state ${stateCid} holds no blob ${cid}.`);
}

/** The bytes that came with any state in the scope. */
async function blobOfOthers(
  { exchanges, states, stateBlobs }: RuntimeRecords,
  scope: RuntimeScope,
  cid: string,
): Promise<SealedPart | undefined> {
  for await (const { stateId } of eachRecord(stateBlobs, 'byCid', [cid, scope.agentId])) {
    const state = await states.get(stateId);
    const [visible] = await besideExchanges(exchanges, state ? [state] : [], scope);
    const part = visible && referencedBlob(visible, cid);
    if (part) return part;
  }
  return undefined;
}

async function* statesWith({ exchanges, states }: RuntimeRecords, scope: RuntimeScope, stateCid: string) {
  const where = { projectUrn: scope.projectUrn };
  for await (const state of eachRecord(states, 'byStateCid', [stateCid, scope.agentId], { where }))
    yield* await besideExchanges(exchanges, [state], scope);
}

function throwUnknownState(stateCid: string): never {
  throw new ServiceError('not_found', `This agent has no state ${stateCid} in this project.`);
}

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
