import { createHmac, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { parseServiceEntry } from '../../../src/domain/log/entries.ts';
import { sha256 } from '../../../src/domain/log/merkle/hashing.ts';
import { blindedName, logNames } from '../../../src/domain/log/names.ts';
import { type ReadLog, readLog } from '../../builders/logs.ts';
import { blobUrn, ownStatement } from '../../builders/statements.ts';
import { send, useService } from '../service.ts';

const service = useService({ CAIRN_PUBLIC_LOG: 'true' });

const hex = (bytes: Uint8Array | string) => Buffer.from(bytes).toString('hex');

/** The secret of a log, from the store. */
function nonceOf(name: string): Uint8Array {
  using database = new DatabaseSync(join(service.folder, 'cairn.db'));
  const { record } = database.prepare('SELECT record FROM logs WHERE name = ?').get(name) ?? {};
  return Buffer.from(JSON.parse(String(record ?? '{"nonce":""}')).nonce, 'base64');
}

/** Everything that anybody may read of the log, as one text of hexadecimal digits and one of characters. */
async function readPublic(): Promise<{ log: ReadLog; digits: string; text: string }> {
  const answers: (string | Uint8Array)[] = [];
  const log = await readLog(async (path) => {
    const answer = await service.app.request(`/log/v1/${path}`);
    if (answer.status !== 200) return undefined;
    const bytes = new Uint8Array(await answer.arrayBuffer());
    answers.push(JSON.stringify([...answer.headers]), bytes);
    return bytes;
  });
  return {
    log,
    digits: answers.map(hex).join(' '),
    text: answers.map((each) => Buffer.from(each).toString('latin1')).join(' '),
  };
}

/** What somebody can try who knows the name of a log, all that is public, and the secret of a log of his own. */
function* guesses(name: string, known: readonly Uint8Array[]): Generator<Uint8Array> {
  const id = name.split('/').at(-1) ?? '';
  for (const text of [name, id, name.toUpperCase(), `${name}/`, `/log/v1/${name}`, `cairn log v1${name}`]) {
    const digest = sha256(text);
    yield digest;
    yield sha256(digest);
    for (const nonce of [new Uint8Array(), new Uint8Array(32), digest, sha256(id), ...known]) {
      yield blindedName(text, nonce);
      yield sha256(Buffer.concat([nonce, Buffer.from(text)]));
      yield sha256(Buffer.concat([Buffer.from(text), nonce]));
      yield createHmac('sha256', nonce).update(text).digest();
    }
  }
}

it('does not tell from the service log which graphs there are', async () => {
  const [mine, theirs] = [randomUUID(), randomUUID()];
  const secrets = ['a secret project', 'secret content'];
  for (const [graph_id, content] of [
    [mine, 'own content'],
    [theirs, secrets[1]],
    [undefined, 'content of no graph'],
  ] as const) {
    if (graph_id) await send(service, 'PUT', '/graph/v1', { graph_id, name: secrets[0] });
    const statements = [ownStatement('DataRegistration', { data: [blobUrn(content ?? '')] })];
    const body = { statements, generate_id: true, ...(graph_id && { graph_id }) };
    expect((await send(service, 'PUT', '/statements/v1/batch', body)).status).toBe(201);
  }
  const names = [logNames.graph(mine), logNames.graph(theirs), logNames.statements];
  const blinded = async () =>
    new Set(
      (await readPublic()).log.entries.map((entry) => hex(parseServiceEntry(entry)?.blindedName ?? '')),
    );
  const held = (name: string) => hex(blindedName(name, nonceOf(name)));
  // Who has the secret of a log finds it, so the guesses look at the right place.
  await expect
    .poll(async () => {
      const all = await blinded();
      return names.map((name) => all.has(held(name)));
    })
    .toEqual([true, true, true]);

  const { log, digits, text } = await readPublic();
  const own = nonceOf(logNames.graph(mine));
  const seen = log.entries.flatMap((entry) => parseServiceEntry(entry) ?? []);
  const known = [own, log.checkpoint.root, ...seen.flatMap(({ blindedName, root }) => [blindedName, root])];
  const found = new Set(seen.map(({ blindedName }) => hex(blindedName)));
  for (const name of names.slice(1))
    for (const guess of guesses(name, known)) expect(found.has(hex(guess)), name).toBe(false);
  for (const graph of [mine, theirs])
    for (const form of [hex(graph), graph.replaceAll('-', ''), hex(graph.replaceAll('-', ''))])
      expect(digits).not.toContain(form);
  for (const secret of secrets) expect(text).not.toContain(secret);
});
