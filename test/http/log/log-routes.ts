import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { parseCid } from '../../../src/domain/integrity/identifiers/cid.ts';
import { parseServiceEntry, statementEntry } from '../../../src/domain/log/entries.ts';
import { readCheckpoint, readLog } from '../../builders/logs.ts';
import { blobUrn, ownStatement } from '../../builders/statements.ts';
import { type Service, send } from '../service.ts';

/** What a service does with its logs, on every store. */
export function logRoutesContract(service: Service): void {
  const get = async (path: string) => await service.app.request(path);
  const fetching = (prefix: string) => async (path: string) => {
    const answer = await get(`${prefix}/${path}`);
    return answer.status === 200 ? new Uint8Array(await answer.arrayBuffer()) : undefined;
  };
  const serviceLog = fetching('/log/v1');
  const graphLog = (graphId: string) => fetching(`/log/v1/graphs/${graphId}`);

  async function put(names: readonly string[], graph_id?: string) {
    const statements = names.map((name) => ownStatement('DataRegistration', { data: [blobUrn(name)] }));
    const body = { statements, generate_id: true, ...(graph_id !== undefined && { graph_id }) };
    expect([200, 201]).toContain((await send(service, 'PUT', '/statements/v1/batch', body)).status);
  }

  async function newGraph(): Promise<string> {
    const graph_id = randomUUID();
    await send(service, 'PUT', '/graph/v1', { graph_id, name: 'a graph' });
    return graph_id;
  }

  /** Resolves when the log has this many entries. */
  async function reaches(fetch: typeof serviceLog, size: number): Promise<void> {
    const sizeNow = async () => (await readCheckpoint(fetch).catch(() => null))?.size;
    await expect.poll(sizeNow, { timeout: 20_000 }).toBe(size);
  }

  async function entriesOf(graphId: string) {
    const { json } = await send(service, 'GET', `/statements/v1?graph_id=${graphId}&limit=1000`);
    return json.statements.map((one: { id: string; jcs_cid: string }) => {
      const [{ digest: rdfcDigest }, { digest: jcsDigest }] = [parseCid(one.id), parseCid(one.jcs_cid)];
      return Buffer.from(statementEntry({ rdfcDigest, jcsDigest })).toString('hex');
    });
  }

  const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');

  describe('the log of a service', () => {
    it('has each statement of a graph once, and its head is an entry of the service log', async () => {
      const graphId = await newGraph();
      await put(['a', 'b', 'c'], graphId);
      await reaches(graphLog(graphId), 3);
      await put(['c', 'd'], graphId);
      await reaches(graphLog(graphId), 4);
      const graph = await readLog(graphLog(graphId));
      expect(graph.entries.map(hex).toSorted()).toEqual((await entriesOf(graphId)).toSorted());
      const heads = (await readLog(serviceLog)).entries.map((entry) => parseServiceEntry(entry));
      expect(heads.map((head) => head && hex(head.root))).toContain(hex(graph.checkpoint.root));
      expect(graph.checkpoint.origin).toMatch(new RegExp(`/log/v1/graphs/${graphId}$`));
    });

    it('reads as tiles of every width when statements come one by one and joins come late', async () => {
      const [first, second] = [await newGraph(), await newGraph()];
      const names = Array.from({ length: 300 }, (_, at) => `one by one ${at}`);
      for (const name of names.slice(0, 30)) await put([name], first);
      await put(names.slice(0, 200), second);
      await reaches(graphLog(first), 30);
      // These are older than what the log has, so they have entries of their own.
      await put(names, first);
      await put(names.toReversed(), second);
      for (const graphId of [first, second]) {
        await reaches(graphLog(graphId), 300);
        const { entries } = await readLog(graphLog(graphId));
        expect(entries.map(hex).toSorted()).toEqual((await entriesOf(graphId)).toSorted());
        for (const width of [1, 17, 43, 44])
          expect((await get(`/log/v1/graphs/${graphId}/tile/0/001.p/${width}`)).status).toBe(200);
        for (const beyond of [
          '0/001.p/45',
          '0/001',
          '1/000.p/2',
          '1/001',
          '2/000.p/1',
          'entries/001.p/45',
          '63/000',
        ])
          expect((await get(`/log/v1/graphs/${graphId}/tile/${beyond}`)).status).toBe(404);
      }
    });

    it('answers 404 for what is no path of a tile', async () => {
      for (const path of [
        '0/1',
        '00/000',
        '0/x000/001',
        '64/000',
        '0/000.p/256',
        '0/000.p/0',
        'x',
        '0/000/',
        '-1/000',
      ])
        expect([path, (await get(`/log/v1/tile/${path}`)).status]).toEqual([path, 404]);
    });

    it('lets caches keep tiles, and asks again for checkpoints', async () => {
      const graphId = await newGraph();
      await put(['cached'], graphId);
      await reaches(graphLog(graphId), 1);
      const tile = await get(`/log/v1/graphs/${graphId}/tile/entries/000.p/1`);
      expect(tile.headers.get('cache-control')).toBe('private, max-age=31536000, immutable');
      const checkpoint = await get('/log/v1/checkpoint');
      expect([checkpoint.headers.get('content-type'), checkpoint.headers.get('cache-control')]).toEqual([
        'text/plain; charset=utf-8',
        'no-cache',
      ]);
    });

    it('answers an unknown graph, and one that has no statements, with 404', async () => {
      for (const graphId of [randomUUID(), await newGraph()])
        expect((await get(`/log/v1/graphs/${graphId}/checkpoint`)).status).toBe(404);
    });

    it('goes on with the same key and origin after a restart, and extends what was published', async () => {
      await put(['before the restart']);
      await expect
        .poll(async () => (await readCheckpoint(serviceLog).catch(() => null))?.size)
        .toBeGreaterThan(0);
      const before = await readLog(serviceLog);
      await service.restart({ CAIRN_PUBLIC_URL: 'https://other.example/cairn' });
      await put(['after the restart']);
      await expect
        .poll(async () => (await readCheckpoint(serviceLog)).size, { timeout: 20_000 })
        .toBeGreaterThan(before.checkpoint.size);
      const after = await readLog(serviceLog);
      expect(after.entries.slice(0, before.entries.length)).toEqual(before.entries);
      expect(after.checkpoint.origin).toBe(before.checkpoint.origin);
    });
  });
}
