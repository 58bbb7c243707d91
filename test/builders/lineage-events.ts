export const facet = { _producer: 'https://example.com', _schemaURL: 'https://example.com/facet.json' };

/** A run event of OpenLineage. Times are minutes after 10:00, inputs and outputs are names of tables. */
export function runEvent(
  type: string,
  {
    run = 'a',
    minute = 0,
    inputs = [],
    outputs = [],
    job = 'load',
    facets = {},
    jobFacets = {},
  }: RunEventParts = {},
) {
  const datasets = (names: readonly (string | object)[]) =>
    names.map((name) => (typeof name === 'string' ? { namespace: 'postgres://db', name } : name));
  return {
    eventType: type,
    eventTime: `2026-03-01T10:${String(minute).padStart(2, '0')}:00.000Z`,
    producer: 'https://example.com/scheduler',
    schemaURL: 'https://openlineage.io/spec/2-0-2/OpenLineage.json#/$defs/RunEvent',
    run: { runId: `0199b6f2-0000-7000-8000-${Buffer.from(run).toString('hex').padStart(12, '0')}`, facets },
    job: { namespace: 'airflow', name: job, facets: jobFacets },
    inputs: datasets(inputs),
    outputs: datasets(outputs),
  };
}

interface RunEventParts {
  readonly run?: string;
  readonly minute?: number;
  readonly inputs?: readonly (string | object)[];
  readonly outputs?: readonly (string | object)[];
  readonly job?: string;
  readonly facets?: object;
  readonly jobFacets?: object;
}
