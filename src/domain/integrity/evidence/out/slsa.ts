import type { JsonObject } from '../../../json/is-object.ts';
import { runType } from '../in-toto/build-facts.ts';
import { folderUrn } from '../things.ts';
import { type AncestorRun, type Ancestry, type Artefact, timesOf } from './ancestry.ts';

/**
 * In-toto Statements v1 with SLSA provenance v1, one for each run whose outputs have digests: the run that made the subject first.
 */
export function slsaStatements({ runs }: Ancestry): JsonObject[] {
  return runs.flatMap((run) => {
    const subject = run.outputs.filter(hasDigest).map(subjectOf);
    return subject.length === 0 ? [] : [statement(run, subject)];
  });
}

/** A digest does not tell that something is a folder. */
function subjectOf({ id, name, digests }: Artefact): object {
  const uri = folderUrn(id, digests);
  return { name, ...(uri !== undefined && { uri }), digest: digests };
}

export function hasDigest({ digests }: Artefact): boolean {
  return Object.keys(digests).length > 0;
}

function statement(run: AncestorRun, subject: readonly object[]): JsonObject {
  const { id, name, by, inputs, program, facts } = run;
  const { command, parameters = [], environment, git, metrics } = facts;
  const { start, end } = timesOf(run);
  const used = [...(program ? [program] : []), ...inputs];
  return {
    _type: 'https://in-toto.io/Statement/v1',
    subject,
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: runType,
        externalParameters: {
          name,
          ...(command && { command }),
          ...(parameters.length > 0 && {
            parameters: Object.fromEntries(parameters.map(({ path, values }) => [path, values])),
          }),
        },
        internalParameters: { ...(environment && { environment }), ...(git && { git }) },
        resolvedDependencies: used.map((one) => ({
          uri: one.uri ?? one.id,
          name: one.name,
          ...(hasDigest(one) && { digest: one.digests }),
        })),
      },
      runDetails: {
        builder: { id: by },
        metadata: {
          invocationId: id,
          ...(start && { startedOn: start }),
          ...(end && { finishedOn: end }),
        },
        ...(metrics && { byproducts: [jsonOf('metrics', metrics)] }),
      },
    },
  };
}

function jsonOf(name: string, content: JsonObject): JsonObject {
  const bytes = Buffer.from(JSON.stringify(content));
  return { name, mediaType: 'application/json', content: bytes.toString('base64') };
}
