import type { JsonObject } from '../../../json/is-object.ts';
import { type AncestorRun, type Ancestry, type Artefact, thingsOf, timesOf } from './ancestry.ts';

/** What CycloneDX calls the hashes that it has. */
const algorithms: Readonly<Record<string, string | undefined>> = {
  sha256: 'SHA-256',
  blake3: 'BLAKE3',
  sha512: 'SHA-512',
  sha384: 'SHA-384',
  sha1: 'SHA-1',
  md5: 'MD5',
};
const models = /\.(?:bin|ckpt|gguf|h5|joblib|keras|mlmodel|onnx|pb|pickle|pkl|pt|pth|safetensors|tflite)$/i;
const dataSets = /\.(?:arrow|avro|csv|feather|jsonl|ndjson|npy|npz|orc|parquet|tfrecord|tsv)$/i;

/** A CycloneDX 1.7 document: the subject, everything that it was made from, and as formulation the runs that made it. */
export function cycloneDx({ subject, runs }: Ancestry, serialNumber: string): JsonObject {
  const components = new Map<string, JsonObject>();
  for (const one of runs.flatMap(thingsOf)) if (one.id !== subject.id) components.set(one.id, component(one));
  const [last] = runs
    .map(timesOf)
    .flatMap(({ end }) => end ?? [])
    .sort()
    .slice(-1);
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.7.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.7',
    serialNumber,
    version: 1,
    metadata: { ...(last && { timestamp: last }), component: component(subject) },
    components: [...components.values()],
    dependencies: dependencies(runs),
    ...(runs.length > 0 && {
      formulation: [{ 'bom-ref': 'formulation', workflows: [workflow(runs)] }],
    }),
  };
}

/** What kind a file is follows from its name. */
function component({ id, name, digests }: Artefact): JsonObject {
  const type = models.test(name) ? 'machine-learning-model' : dataSets.test(name) ? 'data' : 'file';
  const hashes = Object.entries(digests).flatMap(([algorithm, content]) => {
    const alg = algorithms[algorithm];
    return alg === undefined ? [] : { alg, content };
  });
  return {
    type,
    'bom-ref': id,
    name,
    ...(hashes.length > 0 && { hashes }),
    ...(type === 'data' && { data: [{ type: 'dataset', name }] }),
  };
}

function dependencies(runs: readonly AncestorRun[]): JsonObject[] {
  const made = new Map<string, Set<string>>();
  for (const { inputs, outputs } of runs)
    for (const { id } of outputs) {
      const from = made.getOrInsertComputed(id, () => new Set<string>());
      for (const input of inputs) if (input.id !== id) from.add(input.id);
    }
  return Array.from(made, ([ref, dependsOn]) => ({ ref, dependsOn: [...dependsOn] }));
}

function workflow(runs: readonly AncestorRun[]): JsonObject {
  return { 'bom-ref': 'workflow', uid: 'workflow', taskTypes: ['build'], tasks: runs.map(task) };
}

function task(run: AncestorRun): JsonObject {
  const { id, name, inputs, outputs, program, facts } = run;
  const { start, end } = timesOf(run);
  const used = [...inputs, ...(program && !inputs.some((one) => one.id === program.id) ? [program] : [])];
  return {
    'bom-ref': id,
    uid: id,
    name,
    taskTypes: ['build'],
    ...(facts.command && { steps: [{ name, commands: [{ executed: facts.command.join(' ') }] }] }),
    inputs: used.map((one) => ({ resource: { ref: one.id } })),
    outputs: outputs.map((one) => ({ type: 'artifact', resource: { ref: one.id } })),
    ...(start && { timeStart: start }),
    ...(end && { timeEnd: end }),
  };
}
