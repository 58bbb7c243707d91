import { realpath } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { asMetric, type MlflowRun } from '../../../domain/integrity/evidence/training/mlflow-run.ts';
import { jcs } from '../../../domain/integrity/identification/jcs.ts';
import { openRandomAccess } from '../../client/local-files.ts';
import { failNo } from '../../terminal/failure.ts';
import { artifactsBelow } from './mlflow.ts';

/** A run in the SQLite database of MLflow. */
export interface MlflowDatabaseRun {
  readonly id: string;
  readonly document: Uint8Array;
}

const magic = 'SQLite format 3\0';

/**
 * The runs in a file, without deleted ones; undefined if it is not a SQLite database of MLflow.
 * @throws Failure if its tables are not those that MLflow makes.
 */
export async function mlflowDatabaseRuns(path: string): Promise<MlflowDatabaseRun[] | undefined> {
  await using file = await openRandomAccess(path);
  if (Buffer.from(await file.read(0, magic.length)).toString('latin1') !== magic) return undefined;
  // Imported here, because most imports need no database.
  const { DatabaseSync: Database } = await import('node:sqlite');
  using database = new Database(path, { readOnly: true, timeout: busyMs });
  const tables = tablesOf(database);
  if (!['experiments', 'runs', 'latest_metrics'].every((table) => tables.has(table))) return undefined;
  const root = await realpath(dirname(path));
  try {
    const runs: MlflowDatabaseRun[] = [];
    for (const run of rows<RunRow>(database, allRuns))
      runs.push({ id: run.id, document: Buffer.from(jcs(await documentOf(run, database, tables, root))) });
    return runs;
  } catch (cause) {
    if (!isSqlite(cause)) throw cause;
    const message = `${path} is not a database of MLflow that is read here: ${cause.message}. "mlflow db upgrade" brings one up to date.`;
    return failNo(message, { cause });
  }
}

/** A training may be writing. */
const busyMs = 5_000;

interface RunRow {
  readonly id: string;
  readonly name: string | null;
  readonly experiment: string | null;
  readonly user: string | null;
  readonly status: string;
  readonly started: number;
  readonly ended: number | null;
  readonly artifacts: string | null;
}

const allRuns = `SELECT run_uuid AS id, runs.name AS name, experiments.name AS experiment, user_id AS user, status,
  start_time AS started, end_time AS ended, artifact_uri AS artifacts
  FROM runs LEFT JOIN experiments USING (experiment_id)
  WHERE runs.lifecycle_stage = 'active' ORDER BY start_time, run_uuid`;

/** The numbers that MLflow gives to them elsewhere. */
const statuses = ['RUNNING', 'SCHEDULED', 'FINISHED', 'FAILED', 'KILLED'];

async function documentOf(
  { id, name, experiment, user, status, started, ended, artifacts }: RunRow,
  database: DatabaseSync,
  tables: ReadonlySet<string>,
  root: string,
): Promise<MlflowRun> {
  const asked = <Row>(sql: string, needed: string) =>
    tables.has(needed) ? rows<Row>(database, sql, id) : [];
  const models = asked<ModelRow>(loggedModels, 'logged_models');
  return {
    type: 'MLflowRun',
    version: 1,
    run_id: id,
    run_name: name || null,
    experiment,
    user: user || null,
    status: statuses.indexOf(status) + 1,
    start_time: started,
    end_time: ended,
    params: textsOf(asked<TextRow>('SELECT key, value FROM params WHERE run_uuid = ?', 'params')),
    tags: textsOf(asked<TextRow>('SELECT key, value FROM tags WHERE run_uuid = ?', 'tags')),
    metrics: Object.fromEntries(
      asked<MetricRow>(latestMetrics, 'latest_metrics').map((row) => [row.key, metricOf(row)]),
    ),
    datasets: asked<MlflowRun['datasets'][number]>(datasetsOf, 'input_tags').map((row) => ({ ...row })),
    models: models.map(({ model_id, name: model }) => ({ model_id, name: model })),
    artifacts: await artifactsOf(
      [['', artifacts], ...models.map((model) => [model.name, model.place] as const)],
      root,
    ),
  };
}

interface TextRow {
  readonly key: string;
  readonly value: string | null;
}

interface MetricRow {
  readonly key: string;
  readonly value: number;
  readonly is_nan: number;
}

interface ModelRow {
  readonly model_id: string;
  readonly name: string;
  readonly place: string;
}

const latestMetrics = 'SELECT key, value, is_nan FROM latest_metrics WHERE run_uuid = ?';

const datasetsOf = `SELECT name, digest, dataset_source AS source, dataset_source_type AS source_type,
  (SELECT value FROM input_tags AS tag WHERE tag.input_uuid = inputs.input_uuid AND tag.name = 'mlflow.data.context') AS context
  FROM inputs JOIN datasets ON dataset_uuid = source_id
  WHERE source_type = 'DATASET' AND destination_type = 'RUN' AND destination_id = ? ORDER BY input_uuid`;

const loggedModels = `SELECT model_id, name, artifact_location AS place FROM inputs
  JOIN logged_models ON model_id = destination_id
  WHERE source_type = 'RUN_OUTPUT' AND source_id = ? ORDER BY model_id`;

/** None of a database that is broken or encrypted. */
function tablesOf(database: DatabaseSync): ReadonlySet<string> {
  try {
    const found = rows<{ name: string }>(database, "SELECT name FROM sqlite_master WHERE type = 'table'");
    return new Set(found.map(({ name }) => name));
  } catch (error) {
    if (!isSqlite(error)) throw error;
    return new Set();
  }
}

function isSqlite(error: unknown): error is Error {
  return error instanceof Error && 'code' in error && error.code === 'ERR_SQLITE_ERROR';
}

function rows<Row>(database: DatabaseSync, sql: string, ...values: string[]): Row[] {
  return database.prepare(sql).all(...values) as unknown as Row[];
}

function textsOf(found: readonly TextRow[]): Record<string, string> {
  return Object.fromEntries(found.map(({ key, value }) => [key, value ?? '']));
}

/** MLflow writes infinity as the largest number. */
function metricOf({ value, is_nan }: MetricRow) {
  if (is_nan) return asMetric(Number.NaN);
  return asMetric(Math.abs(value) === Number.MAX_VALUE ? value * 2 : value);
}

/** The artifacts of a run and of its models, under the names that MLflow lists them by. */
async function artifactsOf(
  places: readonly (readonly [folder: string, place: string | null])[],
  root: string,
): Promise<MlflowRun['artifacts']> {
  const all: [string, MlflowRun['artifacts'][string]][] = [];
  for (const [folder, place] of places) {
    const path = place === null ? undefined : await folderBelow(root, place);
    if (path === undefined) continue;
    for (const [name, digests] of Object.entries(await artifactsBelow(path)))
      all.push([[folder, name].filter(Boolean).join('/'), digests]);
  }
  return Object.fromEntries(all);
}

/** `mlflow server` keeps what it serves as `mlflow-artifacts:` in this folder beside its database. */
const servedFolder = 'mlartifacts';

/** The folder of artifacts, if it is below that of the database: a database of somebody else must not choose what is read. */
async function folderBelow(root: string, place: string): Promise<string | undefined> {
  const served = /^mlflow-artifacts:\/(?!\/)(.+)$/.exec(place)?.[1];
  const named = place.startsWith('file:///') ? fileURLToPath(place) : place;
  const path = served === undefined ? named : join(root, servedFolder, served);
  const found = await realpath(path).catch(() => undefined);
  return found?.startsWith(root + sep) ? found : undefined;
}
