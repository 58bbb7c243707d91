import { z } from 'zod';
import { collection, type RecordsOf } from '../../../collections/collection.ts';
import { jcs } from '../../identification/jcs.ts';
import { cidOf, codecs } from '../../identifiers/cid.ts';

/** What the events of a run have said so far, and which statements follow from it. */
export const lineageRuns = collection('openlineage_runs', {
  shape: z.object({
    /** See `runKey`. */
    id: z.string().min(1),
    /** Rises with each change. */
    version: z.int(),
    graphId: z.string().nullable(),
    registeredBy: z.string().min(1),
    /** As `registrarKey` names who brings the events. Null in records of earlier versions. */
    registrar: z.string().nullable().default(null),
    /** A `RunState` as JSON. */
    state: z.string(),
    /** The ids of the statements that were ever made about the run as a whole. All but those that count are withdrawn. */
    made: z.array(z.string()),
    /** A digest of what follows from the state, once all of it is stored. */
    stored: z.string().nullable(),
  }),
  key: 'id',
});

export type LineageRuns = RecordsOf<typeof lineageRuns>;
export type LineageRun = z.output<(typeof lineageRuns)['shape']>;

/** When runs that have ended read and wrote datasets without a version. */
export const lineageUses = collection('openlineage_uses', {
  shape: z.object({
    /** See `useKey`. */
    id: z.string().min(1),
    /** See `datasetKey`. */
    dataset: z.string().min(1),
    role: z.enum(['read', 'write']),
    /** Milliseconds since 1970: the begin of a run that read, the end of one that wrote. */
    at: z.int(),
    /** The id of the record of the run. */
    run: z.string().min(1),
    runId: z.string().min(1),
    /** What a run that wrote calls the version. */
    version: z.string().nullable(),
    /** What the run calls the dataset, if that is another name. */
    calledAs: z.object({ namespace: z.string(), name: z.string() }).nullable().default(null),
  }),
  key: 'id',
  indexes: { byDataset: ['dataset', 'role', 'at'] },
});

export type LineageUses = RecordsOf<typeof lineageUses>;
export type LineageUse = z.output<(typeof lineageUses)['shape']>;

/** Events join in one run only if the same caller brings them to the same graph, in the name of the same DID. */
export function runKey(
  registrar: string,
  registeredBy: string,
  graphId: string | null,
  runId: string,
): string {
  return hashed([registrar, registeredBy, graphId, runId]);
}

/** Readers and writers of a dataset meet in a graph, or outside of all graphs. */
export function datasetKey(graphId: string | null, namespace: string, name: string): string {
  return hashed([graphId, namespace, name]);
}

export function useKey({ dataset, role, run }: Pick<LineageUse, 'dataset' | 'role' | 'run'>): string {
  return hashed([dataset, role, run]);
}

/** Keys must be short. */
export function hashed(parts: unknown): string {
  return cidOf(codecs.jcs, jcs(parts)).text;
}
