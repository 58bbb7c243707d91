import { z } from 'zod';
import type { Evidence, Thing } from '../evidence.ts';
import { shaped } from '../shaped.ts';
import { uriReference } from '../things.ts';
import { buildFacts, buildTime, nameOfBuild, runType } from './build-facts.ts';
import { resource, thingOf } from './resource.ts';

const text = z.string();
const dependency = resource
  .extend({ content: text.nullish() })
  .refine(
    ({ uri, digest, content }) => Boolean(uri || digest || content),
    'must have a uri, a digest or content',
  );

/** SLSA provenance v1 (https://slsa.dev/spec/v1.0/provenance). */
const provenance = z.looseObject({
  buildDefinition: z.looseObject({
    buildType: text.min(1),
    externalParameters: z.looseObject({}),
    internalParameters: z.looseObject({}).nullish(),
    resolvedDependencies: z.array(dependency).nullish(),
  }),
  runDetails: z.looseObject({
    // BuildKit says nothing of itself unless it is told.
    builder: z.looseObject({ id: text }),
    metadata: z
      .looseObject({
        invocationId: text.nullish(),
        // The spelling of the Go library, as in BuildKit, Tekton Chains and GitLab Runner.
        invocationID: text.nullish(),
        startedOn: buildTime,
        finishedOn: buildTime,
      })
      .nullish(),
  }),
});

/** GitHub's build type says so which workflow has run. */
const workflow = z.looseObject({ repository: text.min(1), path: text.min(1), ref: text.optional() });

/** @throws EvidenceProblem. */
export function readProvenanceV1(predicate: object, subjects: readonly Thing[]): Evidence {
  const said = shaped(provenance, predicate, 'The SLSA provenance', '/predicate');
  const { buildDefinition, runDetails } = said;
  const { buildType, externalParameters, resolvedDependencies } = buildDefinition;
  const { invocationId, invocationID, startedOn, finishedOn } = runDetails.metadata ?? {};
  const ran = workflow.safeParse(externalParameters.workflow).data;
  const program = ran
    ? { name: ran.path, reference: referenceOfWorkflow(ran) }
    : { name: buildType, reference: uriReference(buildType) };
  const { facts, time } = buildFacts({
    name: ran?.path ?? nameOfRun(said) ?? nameOfBuild(buildType, subjects),
    builder: runDetails.builder.id,
    buildType,
    invocation: invocationId ?? invocationID ?? undefined,
    parameters: externalParameters,
    started: startedOn ?? undefined,
    finished: finishedOn ?? undefined,
  });
  const inputs = (resolvedDependencies ?? []).filter(({ uri, digest }) => uri || digest).map(thingOf);
  const machine = runDetails.builder.id;
  const step = { inputs, outputs: subjects, program, ...(machine && { machine }), facts };
  return { ...(time && { time }), about: [], steps: [step] };
}

/** Exports of recorded runs say what the run is called. */
function nameOfRun({ buildDefinition }: z.output<typeof provenance>): string | undefined {
  const { buildType, externalParameters } = buildDefinition;
  const { name } = externalParameters;
  return buildType === runType && typeof name === 'string' && name !== '' ? name : undefined;
}

function referenceOfWorkflow({ repository, path, ref }: z.output<typeof workflow>) {
  return { namespace: repository, name: path, ...(ref && { version: ref }) };
}
