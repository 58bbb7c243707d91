import { execFile, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { existsSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { freePort } from '../../bench/free-port.ts';
import { toBase64 } from '../../src/domain/base64.ts';
import { serviceEntry } from '../../src/domain/log/entries.ts';
import { emptyRoot, leafHash, sha256 } from '../../src/domain/log/merkle/hashing.ts';
import { consistencyProof, inclusionProof } from '../../src/domain/log/merkle/proofs.ts';
import { parseTilePath } from '../../src/domain/log/merkle/tiles.ts';
import { formatCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { verifySignature } from '../../src/domain/log/notes/cosignature.ts';
import { parseSignature } from '../../src/domain/log/notes/signed-note.ts';
import type { NoteSigner } from '../../src/domain/log/notes/signing.ts';
import { formatTlogProof } from '../../src/domain/log/notes/tlog-proof.ts';
import { formatVkey, keyTypes, makeVkey, parseVkey } from '../../src/domain/log/notes/vkey.ts';
import { formatAddCheckpoint } from '../../src/domain/log/witnessing/add-checkpoint.ts';
import { freshSigner, signedBy } from '../builders/log-keys.ts';
import { digestsOf, MemoryLog, receiptsOf } from '../builders/service-log.ts';
import { blobUrn, ownStatement } from '../builders/statements.ts';
import { startService, temporaryFolder } from '../cli/run-cairn.ts';
import { describeIfThere } from '../describe-with.ts';

const tools = process.env.CAIRN_TEST_GO_TOOLS ?? '';
const interop = join(tools, 'interop');

/** The clients of test/go, skipped in one line where Go is missing. */
function describeGo(name: string, suite: () => void): void {
  const absence =
    'its Go programs are not built (CAIRN_TEST_GO_TOOLS, made by .ci/go-tools where Go is installed)';
  describeIfThere(!existsSync(interop) && absence, name, suite);
}

/** Runs a command of test/go. @returns what it prints, or "refused: " with its complaint. */
async function go(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)(interop, args)).stdout.trim();
  } catch (error) {
    const { stderr } = error as { readonly stderr: string };
    return `refused: ${stderr.trim()}`;
  }
}

const origin = 'log.example/log/v1';
const entry = (number: number) =>
  serviceEntry({ blindedName: sha256(`log ${number}`), size: number, root: emptyRoot });
const entriesOf = (count: number) => Array.from({ length: count }, (_, number) => entry(number));

interface ServedLog extends Disposable {
  readonly url: string;
  /** Answers this instead of a resource. */
  readonly damage: Map<string, Uint8Array | string>;
}

/** Serves a log as files in memory, each partial tile only in the width of the tree. */
async function serveLog(log: MemoryLog, signers: readonly NoteSigner[]): Promise<ServedLog> {
  const { size, root } = log;
  const checkpoint = await signedBy(formatCheckpoint({ origin, size, root, extensions: [] }), signers);
  const damage = new Map<string, Uint8Array | string>();
  const answer = async (path: string): Promise<Uint8Array | string> => {
    if (path === 'checkpoint') return checkpoint;
    const { level, index, width } = parseTilePath(path.replace(/^tile\//, ''));
    if (level !== 'entries') {
      const [hashes = ''] = await log.tiles([{ level, index, width }]);
      return hashes;
    }
    const entries = log.entries.slice(index * 256, index * 256 + width);
    if (entries.length < width) throw new Error('There are not so many entries.');
    const length = ({ length }: Uint8Array) => Uint8Array.of(length >> 8, length & 255);
    return Buffer.concat(entries.flatMap((each) => [length(each), each]));
  };
  const server: Server = createServer(async ({ url = '/' }, response) => {
    const path = url.slice(1);
    try {
      response.end(damage.get(path) ?? (await answer(path)));
    } catch {
      response.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const dispose = () => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${port}`, damage, [Symbol.dispose]: dispose };
}

describeGo('the Go clients of transparency logs', () => {
  const signer = freshSigner(origin);
  const vkey = formatVkey(signer.vkey);

  test.each([0, 1, 2, 255, 256, 257, 512, 700, 65_537])('read a log of %i entries', async (count) => {
    using log = await serveLog(new MemoryLog().append(entriesOf(count)), [signer]);
    expect(await go('read', log.url, '', vkey, origin)).toBe(String(count));
  });

  test('notice a hash, an entry, a root and a signature that was changed', async () => {
    const whole = new MemoryLog().append(entriesOf(300));
    const [tile = new Uint8Array()] = await whole.tiles([{ level: 0, index: 1, width: 44 }]);
    const changed = Buffer.from(tile);
    changed[40] = (changed[40] ?? 0) ^ 1;
    using log = await serveLog(whole, [signer]);
    log.damage.set('tile/0/001.p/44', changed);
    expect(await go('read', log.url, '', vkey, origin)).toMatch(/^refused: x\/mod\/sumdb/);
    log.damage.clear();
    const bundle = new MemoryLog().append(entriesOf(44)).entries;
    log.damage.set(
      'tile/entries/001.p/44',
      Buffer.concat(bundle.flatMap((each) => [Buffer.of(0, each.length), each])),
    );
    expect(await go('read', log.url, '', vkey, origin)).toContain('tessera/fsck');
    log.damage.clear();
    const forged = formatCheckpoint({ origin, size: 300, root: emptyRoot, extensions: [] });
    log.damage.set('checkpoint', await signedBy(forged, [signer]));
    expect(await go('read', log.url, '', vkey, origin)).toMatch(/^refused: x\/mod\/sumdb: the tiles lead/);
    log.damage.set('checkpoint', await signedBy(forged, [freshSigner(origin)]));
    expect(await go('read', log.url, '', vkey, origin)).toMatch(/^refused: tessera\/client: checkpoint/);
  });

  test('verify a receipt with cosignatures by Ed25519 and ML-DSA-44', async () => {
    using folder = temporaryFolder();
    const cosigners = [
      freshSigner('ed.example', keyTypes.ed25519Cosigner),
      freshSigner('ml.example', keyTypes.mlDsa44Cosigner),
    ];
    const vkeys = [vkey, ...cosigners.map((each) => formatVkey(each.vkey))];
    const path = join(folder.path, 'receipt.tlog-proof');
    const service = new MemoryLog().append(entriesOf(1_000));
    const { size, root } = service;
    const text = formatCheckpoint({ origin, size, root, extensions: [] });
    const proof = {
      extra: Buffer.from('{}'),
      index: 700,
      path: await inclusionProof(service, 700, size),
      checkpoint: await signedBy(text, [signer, ...cosigners]),
    };
    writeFileSync(path, formatTlogProof(proof));
    const leaf = (number: number) => Buffer.from(leafHash(entry(number))).toString('hex');
    expect(await go('proof', path, leaf(700), ...vkeys)).toBe('');
    expect(await go('proof', path, leaf(701), ...vkeys)).toMatch(/^refused: /);
    const [receipt = ''] = await receiptsOf(origin, [digestsOf(1)], [signer, ...cosigners]);
    writeFileSync(path, receipt);
    expect(await go('proof', path, leaf(1), ...vkeys)).toMatch(/^refused: .*root/);
    const other = formatVkey(freshSigner('ed.example', keyTypes.ed25519Cosigner).vkey);
    expect(await go('proof', path, leaf(1), vkey, other)).toMatch(/^refused: 1 signatures are valid, not 2/);
  });
});

describeGo('the logs of a service', () => {
  test('are read by the Go clients while they grow', async () => {
    await using service = await startService({ CAIRN_PUBLIC_LOG: 'true' });
    const graph = randomUUID();
    const send = async (path: string, body: unknown) => {
      const headers = { 'content-type': 'application/json' };
      const answer = await fetch(`${service.url}${path}`, {
        method: 'PUT',
        headers,
        body: JSON.stringify(body),
      });
      expect(answer.ok, await answer.text()).toBe(true);
    };
    const get = async (path: string) => await (await fetch(`${service.url}/log/v1/${path}`)).text();
    await send('/graph/v1', { graph_id: graph, name: 'read by Go' });
    for (const [first, size] of [
      [0, 1],
      [1, 256],
      [256, 700],
    ] as const) {
      const names = Array.from({ length: size - first }, (_, at) => `statement ${first + at}`);
      const statements = names.map((name) => ownStatement('DataRegistration', { data: [blobUrn(name)] }));
      await send('/statements/v1/batch', { statements, graph_id: graph, generate_id: true });
      const read = async (log: string) => {
        const vkey = (await get(`${log}key`)).trim();
        return await go(
          'read',
          `${service.url}/log/v1/${log}`.replace(/\/$/, ''),
          '',
          vkey,
          parseVkey(vkey).name,
        );
      };
      await expect.poll(() => read(`graphs/${graph}/`), { interval: 200 }).toBe(String(size));
      expect(Number(await read(''))).toBeGreaterThan(0);
    }
  });
});

/** litewitness with a fresh key, which follows one log. */
async function startLitewitness(folder: string, signer: NoteSigner) {
  const children = new AbortController();
  const socket = join(folder, 'agent');
  const agent = spawn(interop, ['agent', socket], { signal: children.signal });
  agent.on('error', () => undefined);
  const [line] = await once(agent.stdout, 'data');
  const [fingerprint = '', key = ''] = String(line).trim().split(' ');
  const database = join(folder, 'witness.db');
  const address = `127.0.0.1:${await freePort()}`;
  const args = ['-db', database, '-name', 'lite.example/w', '-key', fingerprint, '-ssh-agent', socket];
  const lite = spawn(join(tools, 'litewitness'), [...args, '-listen', address], { signal: children.signal });
  lite.on('error', () => undefined);
  const isUp = async () =>
    await fetch(`http://${address}`).then(
      () => true,
      () => false,
    );
  await expect.poll(isUp).toBe(true);
  // witnessctl would do the same.
  using store = new DatabaseSync(database, { timeout: 5_000 });
  const { name } = signer.vkey;
  store
    .prepare('INSERT INTO log (origin, tree_size, tree_hash) VALUES (?, 0, ?)')
    .run(name, toBase64(emptyRoot));
  store.prepare('INSERT INTO key (origin, key) VALUES (?, ?)').run(name, formatVkey(signer.vkey));
  return {
    url: `http://${address}`,
    vkey: makeVkey('lite.example/w', keyTypes.ed25519Cosigner, Buffer.from(key, 'hex')),
    [Symbol.dispose]: () => children.abort(),
  };
}

describeGo('litewitness', () => {
  test('cosigns checkpoints of a growing log, and refuses a fork', async () => {
    using folder = temporaryFolder();
    const signer = freshSigner(origin);
    using witness = await startLitewitness(folder.path, signer);
    const log = new MemoryLog();
    const add = async (text: string, oldSize: number, path: readonly Uint8Array[]) =>
      await fetch(`${witness.url}/add-checkpoint`, {
        method: 'POST',
        body: formatAddCheckpoint({ oldSize, proof: path, note: await signedBy(text, [signer]) }),
      });
    for (const count of [1, 2, 300, 0]) {
      const oldSize = log.size;
      const { size, root } = log.append(entriesOf(count));
      const text = formatCheckpoint({ origin, size, root, extensions: [] });
      const answer = await add(text, oldSize, await consistencyProof(log, oldSize, size));
      const body = await answer.text();
      expect(answer.status, body).toBe(200);
      const [line = ''] = body.trim().split('\n');
      const { at } = verifySignature(witness.vkey, text, parseSignature(line));
      expect(Math.abs((at ?? 0) - Date.now() / 1_000)).toBeLessThan(60);
    }
    const fork = new MemoryLog().append(entriesOf(400));
    const text = formatCheckpoint({ origin, size: 400, root: fork.root, extensions: [] });
    expect((await add(text, 303, await consistencyProof(fork, 303, 400))).status).toBe(422);
    const late = await add(text, 302, await consistencyProof(fork, 302, 400));
    expect([late.status, (await late.text()).trim()]).toEqual([409, '303']);
  });
});
