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
import {
  besideExchanges,
  type InProject,
  isInScope,
  type RuntimeScope,
  referencedBlob,
  type Visible,
} from './runtime-scope.ts';

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

async function* statesWith(
  { exchanges, states }: RuntimeRecords,
  scope: RuntimeScope,
  stateCid: string,
): AsyncGenerator<StateRecord> {
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
