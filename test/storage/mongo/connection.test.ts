import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { watchConnection } from '../../../src/storage/mongo/connection-watch.ts';
import { Database, databaseClient } from '../../../src/storage/mongo/database.ts';
import { describeMongo, newDatabase } from './database.ts';

describeMongo('a connection to MongoDB', () => {
  test('that closes while a command is about to be written does not keep the command', async () => {
    const sockets: Socket[] = [];
    const note = (message: unknown) => void sockets.push((message as { socket: Socket }).socket);
    subscribe('net.client.socket', note);
    onTestFinished(() => void unsubscribe('net.client.socket', note));
    const address = newDatabase();
    const client = databaseClient(address.url);
    await using database = await Database.connect(client, address);
    client.once('connectionCheckedOut', () => {
      for (const socket of sockets) socket.destroy();
    });
    expect(await database.collection('things').findOne({})).toBeNull();
  });

  test('can be replaced, and collections from before use the new one', async () => {
    const address = newDatabase();
    await using database = await Database.connect(databaseClient(address.url), address);
    const things = database.collection('things');
    await database.reconnect();
    expect(await things.findOne({})).toBeNull();
    await database.pingAnew();
  });
});

describe('the watch of a connection', () => {
  const times = { silentMs: 20, pauseMs: 1 };

  function useServer({ answersAnew, heals }: { answersAnew: boolean; heals: boolean }) {
    let isSilent = false;
    const counts = { pings: 0, replaced: 0 };
    const watched = {
      async ping() {
        counts.pings += 1;
        if (isSilent) await new Promise(() => undefined);
      },
      async pingAnew() {
        if (!answersAnew) throw new Error('away');
      },
      async reconnect() {
        counts.replaced += 1;
        if (heals) isSilent = false;
      },
    };
    const watch = watchConnection(watched, times);
    onTestFinished(() => watch[Symbol.dispose]());
    return { counts, watch, silence: () => (isSilent = true) };
  }

  test('replaces connections that get no answer while the server answers on a new one', async () => {
    const { counts, watch, silence } = useServer({ answersAnew: true, heals: true });
    silence();
    await expect.poll(() => counts.replaced).toBe(1);
    const { pings } = counts;
    await expect.poll(() => counts.pings).toBeGreaterThan(pings + 3);
    expect([counts.replaced, watch.failure.aborted]).toEqual([1, false]);
  });

  test('asks for a restart when that does not help', async () => {
    const { counts, watch, silence } = useServer({ answersAnew: true, heals: false });
    silence();
    await expect.poll(() => watch.failure.aborted).toBe(true);
    expect(counts.replaced).toBe(1);
    expect(watch.failure.reason).toMatchObject({ code: 'unavailable' });
  });

  test('waits while the server answers nobody', async () => {
    const { counts, watch, silence } = useServer({ answersAnew: false, heals: false });
    silence();
    const { pings } = counts;
    await expect.poll(() => counts.pings).toBeGreaterThan(pings + 3);
    expect([counts.replaced, watch.failure.aborted]).toEqual([0, false]);
  });
});
