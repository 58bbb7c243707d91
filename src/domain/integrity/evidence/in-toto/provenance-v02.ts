import { z } from 'zod';
import type { Evidence, Thing } from '../evidence.ts';
import { shaped } from '../shaped.ts';
import { uriReference } from '../things.ts';
import { buildFacts, buildTime, nameOfBuild } from './build-facts.ts';
import { resource, thingOf } from './resource.ts';

const text = z.string();
/** BuildKit says nothing of itself unless it is told. */
const builder = z.looseObject({ id: text });
const materials = z.array(resource).nullish();
const metadata = z
  .looseObject({
    buildInvocationId: text.nullish(),
    buildInvocationID: text.nullish(),
    buildStartedOn: buildTime,
    buildFinishedOn: buildTime,
  })
  .nullish();

/** SLSA provenance v0.2 (https://slsa.dev/spec/v0.2/provenance). */
const provenance = z.looseObject({
  builder,
  buildType: text.min(1),
  invocation: z
    .looseObject({
      configSource: resource.extend({ entryPoint: text.nullish() }).nullish(),
      parameters: z.looseObject({}).nullish(),
    })
    .nullish(),
  metadata,
  materials,
});

/** SLSA provenance v0.1. */
const firstProvenance = z.looseObject({
  builder,
  recipe: z.looseObject({ type: text.nullish(), entryPoint: text.nullish() }).nullish(),
  metadata,
  materials,
});

interface Build {
  readonly builder: string;
  readonly buildType: string;
  readonly program: Thing;
  readonly parameters?: object | undefined;
  readonly metadata?: z.output<typeof metadata>;
  readonly materials?: z.output<typeof materials>;
}

/** @throws EvidenceProblem. */
export function readProvenanceV02(predicate: object, subjects: readonly Thing[]): Evidence {
  const said = shaped(provenance, predicate, 'The SLSA provenance', '/predicate');
  const { buildType, invocation } = said;
  const { configSource, parameters } = invocation ?? {};
  const program = configSource?.entryPoint
    ? programAt(configSource.entryPoint, configSource.uri)
    : { name: buildType, reference: uriReference(buildType) };
  return buildOf(
    { ...said, builder: said.builder.id, program, parameters: parameters ?? undefined },
    subjects,
  );
}

/** @throws EvidenceProblem. */
export function readProvenanceV01(predicate: object, subjects: readonly Thing[]): Evidence {
  const said = shaped(firstProvenance, predicate, 'The SLSA provenance', '/predicate');
  const buildType = said.recipe?.type || said.builder.id;
  const entry = said.recipe?.entryPoint;
  const program = entry
    ? programAt(entry, buildType)
    : { name: buildType, reference: uriReference(buildType) };
  return buildOf({ ...said, builder: said.builder.id, buildType, program }, subjects);
}

/** A workflow or configuration at a place. `git+https://github.com/o/app@refs/tags/v1` says which version. */
function programAt(entryPoint: string, place: string | null | undefined): Thing {
  const [, namespace = place ?? '', version] = /^(?:git\+)?([^@]+)@(.+)$/.exec(place ?? '') ?? [];
  return { name: entryPoint, reference: { namespace, name: entryPoint, ...(version && { version }) } };
}

/** The entry point of a repository tells builds apart. That of a folder, such as `Dockerfile`, does not. */
function nameOf({ program: { name, reference }, buildType }: Build, subjects: readonly Thing[]): string {
  const isOfPlace = name !== undefined && name !== buildType && reference?.namespace !== '';
  return isOfPlace ? name : nameOfBuild(buildType, subjects);
}

function buildOf(build: Build, subjects: readonly Thing[]): Evidence {
  const { builder: machine, buildType, program, parameters, metadata: about, materials: from } = build;
  const { facts, time } = buildFacts({
    name: nameOf(build, subjects),
    builder: machine,
    buildType,
    invocation: about?.buildInvocationId ?? about?.buildInvocationID ?? undefined,
    parameters,
    started: about?.buildStartedOn ?? undefined,
    finished: about?.buildFinishedOn ?? undefined,
  });
  const inputs = (from ?? []).filter(({ uri, name, digest }) => uri || name || digest).map(thingOf);
  return {
    ...(time && { time }),
    about: [],
    steps: [{ inputs, outputs: subjects, program, ...(machine && { machine }), facts }],
  };
}
