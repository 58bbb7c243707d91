import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { didStatement } from '../../builders/statements.ts';
import { sleepingWitness } from '../../builders/test-witness.ts';
import { newGraph, putStatements } from '../manifest-samples.ts';
import { send, useService } from '../service.ts';

const service = useService();
const unknown = 'urn:cid:bagb6qaq6eck62dk7wabsscacsqyri7io4z7bku6r6kagharr62qbbdhnpwwwc';
const nothing = { since: null, clock: null, witnesses: [] };

async function ask(body: object, wait = 0) {
  const { status, json, text } = await send(service, 'POST', '/log/v1/standings', body, {
    prefer: `wait=${wait}`,
  });
  expect(status, text).toBe(200);
  return json;
}

async function published(): Promise<{ entries: number; at: string }> {
  return (await send(service, 'GET', '/log/v1/overview')).json.published;
}

async function put(graph: string | undefined, count = 1) {
  return await putStatements(
    service,
    graph,
    Array.from({ length: count }, () => didStatement(randomUUID())),
  );
}

describe('the standing in the log', () => {
  it('is since the first checkpoint that has a statement, by the clock of the service if there is no witness', async () => {
    const graph = await newGraph(service);
    const [first] = await put(graph);
    const early = await ask({ statements: [first] }, 30);
    expect(early.statements).toEqual([
      { state: 'logged', since: expect.stringMatching(/^20/), clock: null, witnesses: [] },
    ]);
    const checkpoint = await published();
    // Later checkpoints do not change since when something is in the log.
    for (let round = 0; round < 3; round += 1) {
      const [next] = await put(graph);
      await ask({ statements: [next] }, 30);
    }
    expect((await published()).entries).toBeGreaterThan(checkpoint.entries);
    expect(await ask({ statements: [first] })).toEqual(early);
    const { graphs } = await ask({ graphs: [graph] }, 30);
    expect(graphs).toMatchObject([{ state: 'logged', entries: 4, clock: null }]);
    expect(graphs[0].since >= early.statements[0].since).toBe(true);
  });

  it('is not known of what does not exist, and of an empty graph', async () => {
    const body = { statements: [unknown], graphs: [randomUUID(), await newGraph(service)] };
    expect(await ask(body)).toEqual({
      statements: [{ state: 'unknown', ...nothing }],
      graphs: [0, 0].map((entries) => ({ state: 'unknown', ...nothing, entries })),
    });
  });

  it('names the witness whose clock says since when, and tells older entries apart', async () => {
    const graph = await newGraph(service);
    const [before] = await put(graph);
    await ask({ statements: [before] }, 30);
    const { policy, wake } = await sleepingWitness(service);
    await service.restart({ CAIRN_LOG_WITNESSES: policy });
    const [after] = await put(graph);
    expect(await ask({ statements: [after, before], graphs: [graph] })).toMatchObject({
      statements: [
        { state: 'waiting', ...nothing },
        { state: 'logged', clock: null },
      ],
      graphs: [{ state: 'waiting', ...nothing, entries: 1 }],
    });
    wake();
    await expect
      .poll(async () => await ask({ statements: [after, before], graphs: [graph] }, 30))
      .toMatchObject({
        statements: [
          { state: 'logged', clock: 'w1', witnesses: [{ name: 'w1' }] },
          { state: 'logged', clock: null, witnesses: [{ name: 'w1' }] },
        ],
        graphs: [{ state: 'logged', clock: 'w1', entries: 2 }],
      });
    const [late] = (await ask({ statements: [after] })).statements;
    expect(late.since).toBe(late.witnesses[0].at);
  });

  it('is refused for nonsense and for too much', async () => {
    for (const body of [{ statements: ['x'] }, { graphs: ['x'] }, { graphs: Array(101).fill(randomUUID()) }])
      expect((await send(service, 'POST', '/log/v1/standings', body)).status).toBe(400);
  });
});
