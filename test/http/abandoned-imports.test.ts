import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { blobUrn, dataStatement } from '../builders/statements.ts';
import { everything, exportBytes, importBytes, newGraph, putStatements } from './manifest-samples.ts';
import { useService } from './service.ts';

const source = useService();
const service = useService();

async function manifestOfOne(): Promise<Buffer> {
  const graph = await newGraph(source);
  await putStatements(source, graph, [dataStatement(blobUrn(randomUUID()))]);
  return await exportBytes(source, `graph_ids=${graph}&${everything}`);
}

function importsLeft(): number {
  using database = new DatabaseSync(join(service.folder, 'cairn.db'));
  return Number(database.prepare('SELECT count(*) AS imports FROM graph_imports').get()?.imports);
}

test('an import that fails, or comes second, leaves nothing of its graph', async () => {
  const [one, other] = [await manifestOfOne(), await manifestOfOne()];
  const query = `graph_id=${randomUUID()}`;
  const both = await Promise.all([one, other].map((manifest) => importBytes(service, manifest, query)));
  expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
  expect(importsLeft()).toBe(0);

  using database = new DatabaseSync(join(service.folder, 'cairn.db'));
  database.exec(
    "CREATE TRIGGER refuse BEFORE INSERT ON verified_rows BEGIN SELECT RAISE(FAIL, 'refused'); END",
  );
  onTestFinished(() => {
    using again = new DatabaseSync(join(service.folder, 'cairn.db'));
    again.exec('DROP TRIGGER refuse');
  });
  expect((await importBytes(service, await manifestOfOne())).status).toBe(503);
  expect(importsLeft()).toBe(0);
});
