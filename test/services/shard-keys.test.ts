import { type CommandStartedEvent, type Document, MongoClient } from 'mongodb';
import { afterAll, expect, test, vi } from 'vitest';
import { shardKeys } from '../../src/storage/mongo/shard-keys.ts';
import { storeIndexes } from '../../src/storage/mongo/store-indexes.ts';
import { tryGatewayExamples, tryIntegrityExamples } from '../http/api-walk.ts';
import { useGateway } from '../http/control-plane/gateway/gateway.ts';
import { answerOf, send, useService } from '../http/service.ts';
import { describeMongo } from '../storage/mongo/database.ts';

/** The largest page is 10,000. One more tells whether there is another. */
const pageLimit = 10_001;
/** A time series counts what its range has, whatever is elsewhere. */
const boundedByRange = ['audit_exchanges'];

interface Query {
  readonly collection: string;
  readonly filter: Document;
  readonly limit: number;
}

/** The commands of all clients that connect while a test file runs. */
function watchCommands(): readonly CommandStartedEvent[] {
  const seen: CommandStartedEvent[] = [];
  const { connect } = MongoClient.prototype;
  const watching = vi.spyOn(MongoClient.prototype, 'connect').mockImplementation(function (
    this: MongoClient,
  ) {
    Object.assign(this, { monitorCommands: true });
    this.on('commandStarted', (event) => seen.push(event));
    return connect.call(this);
  });
  afterAll(() => watching.mockRestore());
  return seen;
}

/** What a command looks for. Inserts have every member, and so the shard key. */
function queriesOf({ commandName, command }: CommandStartedEvent): Query[] {
  const collection = String(command[commandName]);
  switch (commandName) {
    case 'find':
      return [{ collection, filter: command.filter, limit: command.limit ?? Number.POSITIVE_INFINITY }];
    case 'findAndModify':
      return [{ collection, filter: command.query, limit: 1 }];
    case 'update':
    case 'delete':
      return [...(command.updates ?? command.deletes)].map(({ q, multi, limit }) => ({
        collection,
        filter: q,
        limit: multi || limit === 0 ? Number.POSITIVE_INFINITY : 1,
      }));
    case 'aggregate': {
      const [{ $match }, ...more] = command.pipeline;
      const limit = more.find((stage: Document) => '$limit' in stage)?.$limit;
      return [{ collection, filter: $match, limit: limit ?? Number.POSITIVE_INFINITY }];
    }
    default:
      return [];
  }
}

/** The members that a filter compares, and those that it gives values for. */
function membersOf(filter: Document): { compared: Set<string>; given: Map<string, unknown> } {
  const [compared, given] = [new Set<string>(), new Map<string, unknown>()];
  for (const [name, value] of Object.entries(filter)) {
    if (name === '$and') {
      for (const part of value as Document[]) {
        const inside = membersOf(part);
        for (const one of inside.compared) compared.add(one);
        for (const [one, value] of inside.given) given.set(one, value);
      }
    } else if (!name.startsWith('$')) {
      compared.add(name);
      const [operator] = Object.keys(value ?? {}).filter((key) => key.startsWith('$'));
      if (operator === undefined || operator === '$in' || operator === '$eq') given.set(name, value);
    }
  }
  return { compared, given };
}

/** Whether one shard answers, or each shard reads at most one page of an index. */
function isBounded({ collection, filter, limit }: Query): boolean {
  const key = shardKeys[collection];
  if (key === undefined) return true;
  const { compared, given } = membersOf(filter);
  if (given.has(key)) return true;
  const { indexes = [] } = storeIndexes.find((one) => one.collection === collection) ?? {};
  const isIndexed =
    compared.size === 0 ||
    indexes.some(
      ({ key: members, partialFilterExpression: part }) =>
        compared.has(Object.keys(members)[0] ?? '') ||
        (part && Object.entries(part).every(([name, value]) => given.get(name) === value)),
    );
  return isIndexed && (limit <= pageLimit || boundedByRange.includes(collection));
}

describeMongo('on several shards', () => {
  const commands = watchCommands();
  const service = useService({}, undefined, 'mongodb');
  const gateway = useGateway({ CONTROL_PLANE_AUTH_ENABLED: 'false' }, 'mongodb');

  test('each query of the API names its shard, or reads one page of an index on each', async () => {
    await tryIntegrityExamples(service);
    await tryGatewayExamples(gateway);
    const project = '0199b6f2-6f0e-7cc3-9d5f-b7f6c9a1d3e4';
    const graph = `graph_id=${project}`;
    const filters = ['', 'name=c', graph, 'type=DataRegistration', 'registered_by=did:web:builder.example'];
    for (const filter of [...filters, 'after=2026-01-01T00:00:00Z'])
      expect((await send(service, 'GET', `/statements/v1?${filter}`)).status, filter).toBe(200);
    expect((await send(service, 'GET', '/graph/v1')).status).toBe(200);
    const agent = '/agents/agent_pq3rt7zkq5uehl2m4w6jxvb5cdnysgoa';
    const paths = [
      '/v1/agents',
      `/v1${agent}`,
      '/v1/users',
      '/v1/audit-log',
      `/v1/projects/${project}/agents`,
    ];
    for (const path of [...paths, `/v1/projects/${project}${agent}/audit-exchanges`])
      expect((await answerOf(await gateway.app.request(`http://localhost${path}`))).status, path).toBe(200);
    const queries = commands.flatMap(queriesOf);
    expect(queries.length).toBeGreaterThan(100);
    const unbounded = queries.filter((query) => !isBounded(query));
    const shapes = unbounded.map(({ collection, filter }) =>
      [collection, ...membersOf(filter).compared].join(' '),
    );
    expect([...new Set(shapes)]).toEqual([]);
  });
});
