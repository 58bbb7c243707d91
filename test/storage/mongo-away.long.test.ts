import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { openDatabase } from '../../src/storage/mongo/open-database.ts';

test('a server that cannot be reached is waited for, and the refusal says for how long', async () => {
  const server = createServer((socket) => void socket.destroy()).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as { port: number };
  const told: string[] = [];
  const address = { url: `mongodb://127.0.0.1:${port}/?serverSelectionTimeoutMS=50`, name: 'x' };
  const patience = { waitMs: 1_500, waiting: (sentence: string) => void told.push(sentence) };
  await expect(openDatabase(address, [], patience)).rejects.toMatchObject({
    code: 'unavailable',
    retryAfter: 1,
    message: expect.stringContaining('was not reached within 1.5 s (CAIRN_START_WAIT)'),
  });
  expect(told[0]).toContain(`Waiting for MongoDB at 127.0.0.1:${port}`);
  server.close();
});
