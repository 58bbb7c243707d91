import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { parseUtcTime } from '../../identifiers/timestamp.ts';
import { asFormat } from '../shaped.ts';

/** Names and ids are parts of documents and keys. */
const name = z.string().min(1).max(2_000);
export const datasetName = name;
/** The facets of any producer. What they must have differs between versions, so all objects are taken. */
const facets = z.record(
  z.string(),
  z.custom<JsonObject | null>((value) => value === null || isObject(value), 'must be an object'),
);
const dataset = z.object({
  namespace: name,
  name,
  facets: facets.nullish(),
  inputFacets: facets.nullish(),
  outputFacets: facets.nullish(),
});
const job = z.object({ namespace: name, name, facets: facets.nullish() });
const time = z
  .string()
  .refine((text) => eventTimeOf(text) !== null, { error: 'must be a date and time of RFC 3339' });
/** Inputs and outputs, each. They are in one statement and in one record. */
export const datasetsLimit = 5_000;
const datasets = z
  .array(dataset)
  .max(datasetsLimit, { error: `must have at most ${datasetsLimit} elements` })
  .nullish();

const base = { eventTime: time, producer: z.string(), schemaURL: z.string() };
export const eventTypes = ['START', 'RUNNING', 'COMPLETE', 'ABORT', 'FAIL', 'OTHER'] as const;
const types = z
  .enum(eventTypes, { error: `must be ${eventTypes.slice(0, -1).join(', ')} or ${eventTypes.at(-1)}` })
  .nullish();

/** `OpenLineage.json` of OpenLineage, without its rules for facets. A run id of any form is taken, because clients send them. */
const shapes = {
  run: z.object({
    ...base,
    eventType: types,
    run: z.object({ runId: name, facets: facets.nullish() }),
    job,
    inputs: datasets,
    outputs: datasets,
  }),
  job: z.object({ ...base, job, inputs: datasets, outputs: datasets }),
  dataset: z.object({ ...base, dataset }),
};

export type RunEvent = z.output<typeof shapes.run>;
export type Dataset = z.output<typeof dataset>;

export type DatasetName = Pick<Dataset, 'namespace' | 'name'>;

export type LineageEvent =
  | ({ readonly kind: 'run' } & RunEvent)
  | ({ readonly kind: 'job' } & z.output<typeof shapes.job>)
  | ({ readonly kind: 'dataset' } & z.output<typeof shapes.dataset>);

/** Whether a JSON value is, or claims to be, an event of OpenLineage. */
export function isLineageEvent({ schemaURL, eventTime, producer, run, job: ofJob }: JsonObject): boolean {
  if (typeof schemaURL === 'string' && /openlineage/i.test(schemaURL)) return true;
  return typeof eventTime === 'string' && producer !== undefined && (isObject(run) || isObject(ofJob));
}

/** @throws EvidenceProblem for what the specification calls invalid. */
export function readEvent(document: JsonObject): LineageEvent {
  const kind = kindOf(document);
  return { kind, ...asFormat('OpenLineage', shapes[kind], document) } as LineageEvent;
}

/** An event with a type is about a run, also if its run is missing. */
function kindOf({ run, eventType, schemaURL, dataset: ofDataset, job: ofJob }: JsonObject) {
  const isAboutRun = typeof schemaURL === 'string' && schemaURL.endsWith('/RunEvent');
  if (run !== undefined || eventType !== undefined || isAboutRun) return 'run';
  return ofJob === undefined && ofDataset !== undefined ? 'dataset' : 'job';
}

const withoutZone = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?$/;

/** Milliseconds since 1970. Older clients leave out the zone, and mean UTC. */
export function eventTimeOf(text: string): number | null {
  return parseUtcTime(withoutZone.test(text) ? `${text}Z` : text);
}
