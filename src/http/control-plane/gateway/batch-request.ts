import type { Context } from 'hono';
import { z } from 'zod';
import { batchOf } from '../../../contract/control-plane/gateway.ts';
import { checkedRecords } from '../../../domain/control-plane/gateway/batch.ts';
import { parseStrictJson } from '../../../domain/json/strict-json.ts';
import { note } from '../../../platform/audit-trail/entry.ts';
import { type JsonLimits, jsonBody, parsed } from '../../parsed-request.ts';

const maxValues = 1_000_000;

const envelope = batchOf(z.unknown());

type Camel<Name> = Name extends `${infer Start}_${infer Rest}` ? `${Start}${Capitalize<Camel<Rest>>}` : Name;
/** A record with the names of the domain. */
type Named<Value> = { [Name in keyof Value as Camel<Name>]: Value[Name] };

/**
 * Reads a batch.
 * @param options `exactNumbers` refuses numbers that would change. Looking for them takes long.
 * @throws ServiceError that lists the problems of each bad record.
 */
export async function batch<Schema extends z.ZodType, Checked>(
  context: Context,
  schema: Schema,
  { maxJsonBytes, maxJsonDepth: maxDepth }: JsonLimits,
  check: (record: Named<z.output<Schema>>) => Checked,
  { exactNumbers = false } = {},
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
