import { z } from 'zod';
import { isObject, type JsonObject } from '../../../json/is-object.ts';
import { type Dataset, type DatasetName, datasetName } from './event.ts';

type Facets = Readonly<Record<string, JsonObject | null>>;

const identifier = z.object({ namespace: datasetName, name: datasetName });

/** The members of facets that the page of a run shows. Everything else is in the stored events. */
const shownOfRun = {
  parent: ['run', 'job', 'root'],
  errorMessage: ['message', 'programmingLanguage'],
  nominalTime: ['nominalStartTime', 'nominalEndTime'],
  processing_engine: ['name', 'version', 'openlineageAdapterVersion'],
  externalQuery: ['externalQueryId', 'source'],
  tags: ['tags'],
};
const shownOfJob = {
  sql: ['query', 'dialect'],
  sourceCodeLocation: ['type', 'url', 'repoUrl', 'path', 'version', 'tag', 'branch'],
  jobType: ['processingType', 'integration', 'jobType'],
  documentation: ['description'],
  ownership: ['owners'],
};

const parentRun = z.object({ run: z.object({ runId: datasetName }), job: identifier });

/** The run that started this one, by its `parent` facet. */
export function parentIn(parent: JsonObject | undefined): z.output<typeof parentRun> | undefined {
  return parentRun.safeParse(parent).data;
}

const textLimit = 10_000;
/** A longer facet is left to the stored event. */
const facetLimit = 30_000;

export function runFacts(facets: Facets): Record<string, JsonObject> {
  return shown(facets, shownOfRun);
}

export function jobFacts(facets: Facets): Record<string, JsonObject> {
  return shown(facets, shownOfJob);
}

function shown(
  facets: Facets,
  names: Readonly<Record<string, readonly string[]>>,
): Record<string, JsonObject> {
  const found: Record<string, JsonObject> = {};
  for (const [name, members] of Object.entries(names)) {
    const facet = facets[name];
    if (!facet) continue;
    const kept = members.filter((member) => facet[member] !== undefined && facet[member] !== null);
    const value = Object.fromEntries(kept.map((member) => [member, shortened(facet[member])]));
    if (kept.length > 0 && JSON.stringify(value).length <= facetLimit) found[name] = value;
  }
  return found;
}

function shortened(value: unknown): unknown {
  return typeof value === 'string' && value.length > textLimit
    ? `${value.slice(0, textLimit).toWellFormed()}…`
    : value;
}

/** The version of a dataset by its `version` facet. */
export function versionIn({ facets }: Dataset): string | undefined {
  const version = facets?.version?.datasetVersion;
  return typeof version === 'string' && version !== '' ? version.slice(0, 2_000) : undefined;
}

/** More names than any dataset has. Each is a record of its own. */
const symlinksLimit = 20;

/** Other names of a dataset by its `symlinks` facet, such as the table that a folder of files is. */
export function symlinksIn({ namespace, name, facets }: Dataset): DatasetName[] {
  const identifiers = facets?.symlinks?.identifiers;
  if (!Array.isArray(identifiers)) return [];
  const given = identifiers.flatMap((one) => identifier.safeParse(one).data ?? []);
  const others = given.filter((one) => one.namespace !== namespace || one.name !== name);
  return others.slice(0, symlinksLimit);
}

/** What an event says about a dataset: its schema, columns, statistics and so on; undefined if nothing. */
export function datasetDocument({ namespace, name, ...parts }: Dataset): JsonObject | undefined {
  const said = Object.entries(parts).filter(
    ([, facets]) => isObject(facets) && Object.keys(facets).length > 0,
  );
  return said.length === 0 ? undefined : { namespace, name, ...Object.fromEntries(said) };
}
