import type { Context } from 'hono';
import { z } from 'zod';
import {
  batchOf,
  bindingRecord,
  eventRecord,
  exchangeRecord,
  exchangeResults,
  membershipRecord,
  sourceResults,
  stateRecord,
  stateResults,
} from '../../contract/control-plane/gateway.ts';
import { checkedRecords } from '../../domain/control-plane/gateway/batch.ts';
import { checkedEvent, keepEvents } from '../../domain/control-plane/gateway/events.ts';
import {
  type BindingChange,
  keepBindings,
  keepMemberships,
} from '../../domain/control-plane/gateway/evidence.ts';
import { checkedExchange, keepExchanges } from '../../domain/control-plane/gateway/exchanges.ts';
import type { GatewayPorts } from '../../domain/control-plane/gateway/ports.ts';
import { checkedState, keepStates } from '../../domain/control-plane/gateway/states.ts';
import { parseStrictJson } from '../../domain/json/strict-json.ts';
import { type AuditPart, note } from '../../platform/audit-trail/entry.ts';
import { errorAnswer, jsonAnswer } from '../answers.ts';
import { type JsonLimits, jsonBody, parsed } from '../parsed-request.ts';
import { type GatewayApp, gatewayOperation } from './gateway-operation.ts';

const tag = 'Gateway';
const rules =
  'At most 1,000 records; all of them are stored, or none and the error lists each bad one. The results have their order. A source_id that is known changes nothing and is answered as the first time.';

const errors = {
  403: errorAnswer(
    'The credential lacks the scope, an agent is revoked (agent_revoked), or its user is disabled',
  ),
  409: errorAnswer('A source_id is known with other content'),
};

const sources = (stored: readonly { readonly sourceId: string }[]) => ({
  results: stored.map(({ sourceId }) => ({ source_id: sourceId })),
});

export interface GatewayRoutes extends GatewayPorts {
  readonly limits: JsonLimits;
}

/** How gateways report what agents do. */
export function gatewayRoutes(app: GatewayApp, { limits, ...ports }: GatewayRoutes): void {
  gatewayOperation(app, 'POST /v1/gateway/audit-exchanges', {
    access: 'audit-exchanges',
    audit: 'queued',
    tag,
    summary: 'Report exchanges of agents with their bodies',
    description: rules,
    body: { 'application/json': { schema: batchOf(exchangeRecord) } },
    answers: { 200: jsonAnswer('The results', exchangeResults), ...errors },
    handle: async ({ context, answer }) => {
      const sent = await batch(context, limits, { schema: exchangeRecord, check: checkedExchange });
      const stored = await keepExchanges(ports, sent);
      const results = stored.map((one) => ({ source_id: one.sourceId, exchange_key: one.exchangeKey }));
      return answer(200, { results });
    },
  });

  gatewayOperation(app, 'POST /v1/gateway/plugin-events', {
    access: 'plugin-events',
    audit: 'queued',
    tag,
    summary: 'Report what plugins did during exchanges, which may arrive later',
    description: rules,
    body: { 'application/json': { schema: batchOf(eventRecord) } },
    answers: { 200: jsonAnswer('The results', sourceResults), ...errors },
    handle: async ({ context, answer }) => {
      const reading = { schema: eventRecord, check: checkedEvent, exactNumbers: true };
      const sent = await batch(context, limits, reading);
      return answer(200, sources(await keepEvents(ports, sent)));
    },
  });

  gatewayOperation(app, 'POST /v1/gateway/state-records', {
    access: 'state-records',
    audit: 'queued',
    tag,
    summary: 'Report attested states of agents with blobs that they reference',
    description: `${rules} The CIDs in a JSON attestation are its children, at most 10,000. Blobs must be among them and hash to their CIDs.`,
    body: { 'application/json': { schema: batchOf(stateRecord) } },
    answers: { 200: jsonAnswer('The results', stateResults), ...errors },
    handle: async ({ context, answer }) => {
      const sent = await batch(context, limits, {
        schema: stateRecord,
        check: (one) => checkedState(one, limits),
      });
      const stored = await keepStates(ports, sent);
      const results = stored.map((one) => ({ source_id: one.sourceId, state_cid: one.stateCid }));
      return answer(200, { results });
    },
  });

  gatewayOperation(app, 'POST /v1/gateway/memberships', {
    access: 'memberships',
    audit: 'queued',
    tag,
    summary: 'Report evidence that agents are members of projects',
    description: rules,
    body: { 'application/json': { schema: batchOf(membershipRecord) } },
    answers: { 200: jsonAnswer('The results', sourceResults), ...errors },
    handle: async ({ context, answer }) => {
      const sent = await batch(context, limits, { schema: membershipRecord, check: (one) => one });
      return answer(200, sources(await keepMemberships(ports, sent)));
    },
  });

  gatewayOperation(app, 'POST /v1/gateway/project-bindings', {
    access: 'project-bindings',
    audit: 'before',
    tag,
    summary: 'Report who decides about the readers of projects',
    description: `${rules} The last binding of a project counts. The audit log has a record for each new binding, with the old one.`,
    body: { 'application/json': { schema: batchOf(bindingRecord) } },
    answers: { 200: jsonAnswer('The results', sourceResults), ...errors },
    handle: async ({ context, answer }) => {
      const sent = await batch(context, limits, { schema: bindingRecord, check: (one) => one });
      const { stored, changes } = await keepBindings(ports, sent);
      note(context, { parts: changes.map(bindingPart) });
      return answer(200, sources(stored));
    },
  });
}

function bindingPart({ old, binding }: BindingChange): AuditPart {
  return {
    target: binding.projectUuid,
    details: {
      source_id: binding.sourceId,
      old_kind: old?.kind ?? null,
      old_console_project_id: old?.consoleProjectId ?? null,
      kind: binding.kind,
      console_project_id: binding.consoleProjectId,
    },
  };
}

const maxValues = 1_000_000;

const envelope = batchOf(z.unknown());

type Camel<Name> = Name extends `${infer Start}_${infer Rest}` ? `${Start}${Capitalize<Camel<Rest>>}` : Name;
/** A record with the names of the domain. */
type Named<Value> = { [Name in keyof Value as Camel<Name>]: Value[Name] };

interface BatchRules<Schema extends z.ZodType, Checked> {
  readonly schema: Schema;
  readonly check: (record: Named<z.output<Schema>>) => Checked;
  /** Refuses numbers that would change. Looking for them takes long. */
  readonly exactNumbers?: boolean;
}

/**
 * Reads a batch.
 * @throws ServiceError that lists the problems of each bad record.
 */
async function batch<Schema extends z.ZodType, Checked>(
  context: Context,
  { maxJsonBytes, maxJsonDepth: maxDepth }: JsonLimits,
  { schema, check, exactNumbers = false }: BatchRules<Schema, Checked>,
): Promise<Checked[]> {
  const bytes = await jsonBody(context, { maxJsonBytes });
  // The parsed texts and the decoded bodies take about as much again.
  context.get('account').take(bytes.length);
  const body = parseStrictJson(bytes, { maxDepth, exactNumbers, maxValues });
  const { records } = parsed(envelope, body, 'The body');
  note(context, { details: { records: records.length } });
  return await checkedRecords(records, (record) => check(named(parsed(schema, record, 'The record'))));
}

function named<Value>(record: Value): Named<Value> {
  const members = Object.entries(record as object).map(([name, value]) => [
    name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase()),
    value,
  ]);
  return Object.fromEntries(members);
}
