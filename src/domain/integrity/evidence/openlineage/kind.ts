import type { JsonObject } from '../../../json/is-object.ts';
import type { Evidence, EvidenceKind } from '../evidence.ts';
import { eventTimeOf, isLineageEvent, type RunEvent, readEvent } from './event.ts';
import { versionIn } from './facets.ts';
import { datasetThing, jobReference, runThing } from './run-evidence.ts';

/** What a single event says: it describes a run, a job or a dataset. What a run has made follows from all of its events. */
interface EventEvidence extends Evidence {
  readonly event?: RunEvent;
}

export const openLineage: EvidenceKind = {
  name: 'openlineage',
  title: 'OpenLineage event',
  recognises: isLineageEvent,
  read: readEventEvidence,
};

function readEventEvidence(document: JsonObject): EventEvidence {
  const event = readEvent(document);
  const time = new Date(eventTimeOf(event.eventTime) ?? 0).toISOString();
  if (event.kind === 'run') return { time, about: [runThing(event.job, event.run.runId)], event };
  if (event.kind === 'job') return { time, about: [{ reference: jobReference(event.job) }] };
  return { time, about: [datasetThing(event.dataset, versionIn(event.dataset) ?? null)] };
}

export function eventIn(evidence: Evidence): RunEvent | undefined {
  return 'event' in evidence ? (evidence as EventEvidence).event : undefined;
}
