import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { asMetric, type MlflowRun } from '../../../domain/integrity/evidence/training/mlflow-run.ts';
import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { codecs } from '../../../domain/integrity/identifiers/cid.ts';
import { isObject, type JsonObject } from '../../../domain/json/is-object.ts';
import { fileCid, filesBelow, type NamedFile } from '../../client/local-files.ts';

/** The folder of an MLflow run, or of a model that a run has logged. */
export interface MlflowFolder {
  readonly path: string;
  readonly kind: 'run' | 'model';
  readonly meta: JsonObject;
}

/** The folders of MLflow runs and models among these files. What is in them belongs to them. */
export async function mlflowFolders(files: readonly NamedFile[]): Promise<MlflowFolder[]> {
  const found: MlflowFolder[] = [];
  for (const { path } of files) {
    if (basename(path) !== 'meta.yaml') continue;
    const meta = await yamlObject(path);
    const kind = meta && kindOf(meta);
    if (kind) found.push({ path: dirname(path), kind, meta });
  }
  const paths = new Set(found.map(({ path }) => path));
  return found.filter(({ path }) => !isBelow(paths, path));
}

/** Whether one of the folders contains the path. */
export function isBelow(folders: ReadonlySet<string>, path: string): boolean {
  const parent = dirname(path);
  return parent !== path && (folders.has(parent) || isBelow(folders, parent));
}

/** Versions of registered models name the run that made them, too. They have no start. */
function kindOf({ run_id, start_time, model_id }: JsonObject): MlflowFolder['kind'] | undefined {
  if (run_id !== undefined && start_time !== undefined) return 'run';
  return model_id === undefined ? undefined : 'model';
}

/** The service says what is wrong with numbers that are none. */
type Sent = {
  [Member in keyof MlflowRun]: MlflowRun[Member] | (MlflowRun[Member] extends number ? null : never);
};

/** What is sent for a run; undefined if it is deleted. */
export async function mlflowDocument({ path, meta }: MlflowFolder): Promise<Uint8Array | undefined> {
  if (meta.lifecycle_stage === 'deleted') return undefined;
  const experiment = dirname(path);
  const document = {
    type: 'MLflowRun',
    version: 1,
    run_id: String(meta.run_id),
    run_name: text(meta.run_name),
    experiment: text((await yamlObject(join(experiment, 'meta.yaml')))?.name),
    user: text(meta.user_id),
    status: number(meta.status),
    start_time: number(meta.start_time),
    end_time: number(meta.end_time),
    params: await texts(join(path, 'params')),
    tags: await texts(join(path, 'tags')),
    metrics: await lastValues(join(path, 'metrics')),
    datasets: await datasets(path),
    models: await models(path),
    artifacts: await artifactsBelow(join(path, 'artifacts')),
  } satisfies Sent;
  return Buffer.from(jcs(document));
}

/** Scalars are texts, because Python writes names such as `1e5` without quotes. */
async function yamlObject(path: string): Promise<JsonObject | undefined> {
  const { parse } = await import('yaml');
  try {
    const value: unknown = parse(await readFile(path, 'utf8'), {
      schema: 'failsafe',
      customTags: ['null'],
      maxAliasCount: 100,
    });
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** The files below a folder, by name; none if the folder does not exist. */
async function filesIn(folder: string): Promise<NamedFile[]> {
  const found = Array.fromAsync(filesBelow(folder, () => undefined));
  const files = await found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return files.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function texts(folder: string): Promise<Record<string, string>> {
  const entries = (await filesIn(folder)).map(async ({ name, path }) => [name, await readFile(path, 'utf8')]);
  return Object.fromEntries(await Promise.all(entries));
}

/** Each line of a metric is its time, its value and its step. */
async function lastValues(folder: string): Promise<MlflowRun['metrics']> {
  const values: [string, MlflowRun['metrics'][string]][] = [];
  for (const [name, lines] of Object.entries(await texts(folder))) {
    const points = lines
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(pythonNumber));
    const last = points.reduce((one, other) => (order(one, other) > 0 ? one : other));
    const value = last[1];
    if (value !== undefined) values.push([name, asMetric(value)]);
  }
  return Object.fromEntries(values);
}

/** Python writes `inf` and `nan`. */
function pythonNumber(text: string): number {
  return Number(text.replace(/inf$/, 'Infinity'));
}

/** By step, then by time. */
function order(one: readonly number[], other: readonly number[]): number {
  return (one[2] ?? 0) - (other[2] ?? 0) || (one[0] ?? 0) - (other[0] ?? 0);
}

async function datasets(run: string): Promise<MlflowRun['datasets']> {
  const found: MlflowRun['datasets'] = [];
  for (const { name, path } of await filesIn(join(run, 'inputs'))) {
    const input = basename(name) === 'meta.yaml' ? await yamlObject(path) : undefined;
    const meta =
      input && (await yamlObject(join(dirname(run), 'datasets', String(input.source_id), 'meta.yaml')));
    if (!input || !meta) continue;
    const context = isObject(input.tags) ? text(input.tags['mlflow.data.context']) : null;
    const { digest, source, source_type } = meta;
    const own = { digest: text(digest), source: text(source), source_type: text(source_type), context };
    found.push({ name: String(meta.name), ...own });
  }
  return found;
}

async function models(run: string): Promise<MlflowRun['models']> {
  const found: MlflowRun['models'] = [];
  for (const { path } of await filesIn(join(run, 'outputs'))) {
    const output = await yamlObject(path);
    if (typeof output?.destination_id !== 'string') continue;
    const model_id = output.destination_id;
    const meta = await yamlObject(join(dirname(run), 'models', model_id, 'meta.yaml'));
    found.push({ model_id, name: text(meta?.name) });
  }
  return found;
}

/** The hashes of the files below a folder, by name. */
export async function artifactsBelow(folder: string): Promise<MlflowRun['artifacts']> {
  const hashes: MlflowRun['artifacts'] = {};
  for (const { name, path } of await filesIn(folder)) {
    const { cid } = await fileCid(path, { codec: codecs.raw, multihash: 'blake3' });
    hashes[name] = { blake3: Buffer.from(cid.digest).toString('hex') };
  }
  return hashes;
}

function number(value: unknown): number | null {
  const found = typeof value === 'string' ? Number(value) : Number.NaN;
  return Number.isFinite(found) ? found : null;
}

function text(value: unknown): string | null {
  return value === null || value === undefined || value === '' ? null : String(value);
}
