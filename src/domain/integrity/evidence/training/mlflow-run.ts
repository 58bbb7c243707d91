import { z } from 'zod';
import { timesEnd } from '../../identifiers/timestamp.ts';
import { type Evidence, type EvidenceKind, EvidenceProblem, type Thing } from '../evidence.ts';
import { asFormat } from '../shaped.ts';

const text = z.string().min(1);
const texts = z.record(z.string(), z.string());
const time = z
  .int()
  .min(0)
  .max(timesEnd - 1);
const dataset = z.object({
  name: text,
  digest: text.nullish(),
  source: z.string().nullish(),
  source_type: z.string().nullish(),
  context: z.string().nullish(),
});
const digests = z.object({ blake3: z.string().regex(/^[0-9a-f]{64}$/) });

/** What `cairn import` makes of an MLflow run. Its form is published: members are only added. */
const shape = z.object({
  type: z.literal('MLflowRun'),
  version: z.literal(1),
  run_id: text,
  run_name: z.string().nullish(),
  experiment: z.string().nullish(),
  user: z.string().nullish(),
  /** As MLflow numbers them: 1 running, 2 scheduled, 3 finished, 4 failed, 5 killed. */
  status: z.int().min(1).max(5),
  /** Milliseconds since 1970. */
  start_time: time,
  end_time: time.nullish(),
  params: texts,
  tags: texts,
  /** The last value of each. */
  metrics: z.record(z.string(), z.union([z.number(), z.enum(['NaN', 'Infinity', '-Infinity'])])),
  datasets: z.array(dataset),
  models: z.array(z.object({ model_id: text, name: z.string().nullish() })),
  /** By path in the folder of the artifacts. */
  artifacts: z.record(z.string(), digests),
});

export type MlflowRun = z.output<typeof shape>;

/** JSON has no NaN and no infinity, which tell that a training has diverged. */
export function asMetric(value: number): MlflowRun['metrics'][string] {
  if (Number.isFinite(value)) return value;
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

export const mlflowRun: EvidenceKind = {
  name: 'mlflow',
  title: 'MLflow run',
  recognises: ({ type }) => type === 'MLflowRun',
  read(document) {
    return evidenceOf(asFormat('MLflow', shape, document));
  },
};

const failures: Record<number, string | undefined> = {
  4: 'The run failed.',
  5: 'The run was killed.',
};

function evidenceOf(run: MlflowRun): Evidence {
  const { run_id, start_time, end_time, status, params, tags, metrics, experiment, user } = run;
  if (status < 3 || typeof end_time !== 'number')
    throw new EvidenceProblem('The run has not ended. Import it again when it has.', '/status');
  const commit = tags['mlflow.source.git.commit'];
  const parent = tags['mlflow.parentRunId'];
  const failure = failures[status];
  const name = run.run_name || tags['mlflow.runName'] || run_id;
  const own = Object.entries(tags).filter(([tag]) => !tag.startsWith('mlflow.'));
  return {
    time: new Date(end_time).toISOString(),
    about: [],
    steps: [
      {
        inputs: run.datasets.map(datasetThing),
        outputs: [
          ...Object.entries(run.artifacts).map(([path, hashes]): Thing => ({ name: path, digests: hashes })),
          ...run.models.map(({ model_id, name: model }): Thing => {
            const reference = { namespace: 'mlflow:models', name: model_id };
            return { name: model || model_id, reference };
          }),
        ],
        program: { name, reference: { namespace: 'mlflow:runs', name, run: run_id } },
        parameters: Object.keys(params).length > 0 ? [{ path: 'params', values: params }] : [],
        facts: {
          name,
          started: new Date(start_time).toISOString(),
          duration: Math.max(0, end_time - start_time) / 1_000,
          ...(failure !== undefined && { error: failure }),
          ...(Object.keys(metrics).length > 0 && { metrics }),
          metadata: {
            run_id,
            ...(experiment && { experiment }),
            ...(user && { user }),
            ...(parent && { parent_run: parent }),
            ...(tags['mlflow.source.name'] && { source: tags['mlflow.source.name'] }),
            ...(commit && { commit }),
            ...(own.length > 0 && { tags: Object.fromEntries(own) }),
          },
        },
      },
    ],
  };
}

/** The digest of MLflow is a short hash of its own, so it is only a version. */
function datasetThing({ name, digest, source, source_type }: MlflowRun['datasets'][number]): Thing {
  const namespace = `mlflow:datasets${source_type ? `:${source_type}` : ''}`;
  const version = digest || source || undefined;
  return { name, reference: { namespace, name, ...(version !== undefined && { version }) } };
}
