import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cidOf, codecs, parseCid } from '../../src/domain/integrity/identifiers/cid.ts';
import { mayMount, mountedFolder } from '../storage/embedded/mounts.ts';
import { changeBlob } from '../storage/embedded/stored-blobs.ts';
import { openGate } from './gate.ts';
import { cairn, type Service, startService, temporaryFolder } from './run-cairn.ts';

const abc = 'bafkr4ideg6z2yocgkez77nr3outtvdnvjdcvqrs5phnqh7jvtrwnlpm5qu';
const collection = 'bagaachraifnmn56rqtgbdxx5x2zvasw4slukuq2t7w3iefcmsqldn7axmrpq';
const unused = 'http://127.0.0.1:9';

let service: Service;
beforeAll(async () => {
  service = await startService();
});
afterAll(async () => await service[Symbol.asyncDispose]());

function exists(path: string): Promise<unknown> {
  return fetch(`${service.url}/store/v1/exists/${path}`).then((answer) => answer.json());
}

describe.concurrent('cairn put', () => {
  test('stores files and prints their CIDs', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'abc.txt'), 'abc');
    writeFileSync(join(folder.path, 'empty'), '');
    const [named, empty] = [join(folder.path, 'abc.txt'), join(folder.path, 'empty')];
    const { code, stdout } = await cairn(['put', named, empty], { env: service.env });
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: `${abc}  ${named}\n${cidOf(codecs.raw, '').text}  ${empty}\n`,
    });
    expect(await exists(abc)).toMatchObject({ exists: true });
  });

  test('escapes names that would move the cursor, change colours or look like another line', async () => {
    using folder = temporaryFolder();
    const name = `a\u001b[31m\n${abc}  b\u202e`;
    writeFileSync(join(folder.path, name), 'abc');
    execFileSync('mkfifo', [join(folder.path, 'pipe\u001b[2K\n')]);
    const { stdout, stderr } = await cairn(['put', folder.path], { env: service.env });
    expect(stdout).toContain(`${abc}  ${folder.path}/a\\u001b[31m\\u000a${abc}  b\\u202e\n`);
    expect(stdout.trim().split('\n')).toHaveLength(2);
    expect(stderr).toContain('pipe\\u001b[2K\\u000a: it is not a regular file.');
    const json = await cairn(['put', folder.path, '--json'], { env: service.env });
    expect(JSON.parse(json.stdout.split('\n')[0] ?? '').name).toBe(join(folder.path, name));
  });

  test('stores standard input with the given hash and codec', async () => {
    const run = await cairn(['put', '-', '--sha256', '--codec', '0x71', '--json'], {
      env: service.env,
      input: 'hello',
    });
    expect(run).toEqual({
      code: 0,
      stdout: '{"cid":"bafyreibm6jg3ux5qumhcn2b3flc3tyu6dmlb4xa7u5bf44yegnrjhc4yeq","name":"-"}\n',
      stderr: '',
    });
  });

  test('leaves the store of a service out of a folder, because it has private keys', async () => {
    using folder = temporaryFolder();
    mkdirSync(join(folder.path, 'data'));
    for (const name of ['a.txt', 'data/cairn.db', 'data/lock.db', 'data/log-key.json'])
      writeFileSync(join(folder.path, name), name);
    const run = await cairn(['put', folder.path], { env: service.env });
    expect(run.code).toBe(0);
    expect(run.stdout).toContain(`${folder.path}/a.txt\n`);
    expect(run.stdout).not.toContain('data');
    expect(run.stderr).toBe(`Skipped ${folder.path}/data: it is the store of a service, with its keys.\n`);
  });

  test('stores a folder as an iroh collection, without following links', async () => {
    using folder = temporaryFolder();
    const files = join(folder.path, 'files');
    mkdirSync(files);
    writeFileSync(join(files, 'abc.txt'), 'abc');
    writeFileSync(join(files, 'def.txt'), 'def');
    symlinkSync('abc.txt', join(files, 'link.txt'));
    const run = await cairn(['put', `${files}/`], { env: service.env });
    expect(run.code).toBe(0);
    expect(run.stdout.trimEnd().split('\n').at(-1)).toBe(`${collection}  ${files}/`);
    expect(run.stderr).toBe(`Skipped ${files}/link.txt: it is not a regular file.\n`);
    const listed = await fetch(`${service.url}/store/v1/iroh-collection/${collection}`);
    expect(Object.keys((await listed.json()) as object)).toEqual(['abc.txt', 'def.txt']);
  });

  test('does not send blobs that the service already has', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'known'), 'known bytes');
    await using gate = await openGate(service.url, () => 'pass');
    const env = { ...service.env, CAIRN_URL: gate.url };
    expect((await cairn(['put', join(folder.path, 'known')], { env })).code).toBe(0);
    expect((await cairn(['put', join(folder.path, 'known')], { env })).code).toBe(0);
    expect(gate.requests.map(({ method }) => method)).toEqual(['POST', 'PUT', 'POST']);
  });

  test('sends them with --again, which repairs a damaged blob', async () => {
    using folder = temporaryFolder();
    await using damaged = await startService({ CAIRN_DATA_DIR: join(folder.path, 'data') });
    const file = join(folder.path, 'file');
    writeFileSync(file, 'right bytes');
    const { stdout } = await cairn(['put', file], { env: damaged.env });
    const [cid = ''] = stdout.split(' ');
    changeBlob(join(folder.path, 'data'), parseCid(cid), () => Buffer.from('wrong bytes'));
    const get = async () => await cairn(['get', cid], { env: damaged.env });
    expect(await get()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('is damaged') });
    expect((await cairn(['put', file], { env: damaged.env })).code).toBe(0);
    expect((await get()).code).toBe(1);
    expect((await cairn(['put', '--again', file], { env: damaged.env })).code).toBe(0);
    expect(await get()).toMatchObject({ code: 0, stdout: 'right bytes' });
  });

  test('reports every missing file and stores none', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'there'), 'never sent');
    const { code, stdout, stderr } = await cairn(['put', join(folder.path, 'there'), '/gone', '/lost'], {
      env: { CAIRN_URL: unused },
    });
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toBe(
      'The file or folder /gone does not exist.\nThe file or folder /lost does not exist.\n',
    );
  });

  test('fails if the service answers another CID', async () => {
    await using gate = await openGate(service.url, () => ({
      status: 200,
      body: JSON.stringify({ cid: abc }),
    }));
    const run = await cairn(['put', '-'], { env: { CAIRN_URL: gate.url }, input: 'not abc' });
    expect(run).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(abc) });
  });

  test('exits with 3 and says what to do if there is no service', async () => {
    const run = await cairn(['put', '-'], { env: { CAIRN_URL: unused }, input: 'abc' });
    expect(run).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/cannot be reached.*cairn serve.*CAIRN_URL/),
    });
  });

  test('retries when the service asks for it, and sends the token', async () => {
    using folder = temporaryFolder();
    writeFileSync(join(folder.path, 'file'), 'patience');
    const busy = {
      status: 503,
      headers: { 'retry-after': '0' },
      body: '{"error":"Busy.","code":"unavailable","request_id":"1"}',
    };
    await using gate = await openGate(service.url, ({ earlier }) => (earlier < 2 ? busy : 'pass'));
    const run = await cairn(['put', join(folder.path, 'file')], {
      env: { CAIRN_URL: gate.url, CAIRN_TOKEN: 'a-token' },
    });
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(gate.requests).toHaveLength(6);
    expect(gate.requests[0]?.headers.authorization).toBe('Bearer a-token');
  });

  test('stops retrying a service that stays busy', async () => {
    const busy = {
      status: 503,
      headers: { 'retry-after': '0' },
      body: '{"error":"Busy.","code":"unavailable","request_id":"1"}',
    };
    await using gate = await openGate(service.url, () => busy);
    const run = await cairn(['get', abc], { env: { CAIRN_URL: gate.url } });
    expect(run).toEqual({ code: 3, stdout: '', stderr: 'Busy.\n' });
  });
});

describe.concurrent('cairn get', () => {
  test('prints the bytes or writes them to a file', async () => {
    using folder = temporaryFolder();
    const bytes = Buffer.alloc(1_000_000, 'bytes of a blob ');
    const cid = cidOf(codecs.raw, bytes).text;
    expect((await cairn(['put', '-'], { env: service.env, input: bytes })).stdout).toBe(`${cid}  -\n`);
    const printed = await cairn(['get', `urn:cid:${cid}`], { env: service.env });
    expect({ code: printed.code, isSame: printed.stdout === bytes.toString() }).toEqual({
      code: 0,
      isSame: true,
    });
    const written = await cairn(['get', cid, '-o', join(folder.path, 'out')], { env: service.env });
    expect(written).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(folder.path, 'out')).equals(bytes)).toBe(true);
    expect(readdirSync(folder.path)).toEqual(['out']);
  });

  test.runIf(mayMount)('names the file that a full disk has no room for', async () => {
    const folder = mountedFolder('64k');
    const input = Buffer.alloc(200_000, 'too large ');
    const cid = cidOf(codecs.raw, input).text;
    await cairn(['put', '-'], { env: service.env, input });
    const { code, stderr } = await cairn(['get', cid, '-o', join(folder, 'out')], { env: service.env });
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(`${folder}/out\\.\\w+\\.part cannot be written: the disk is full\\.\n$`),
    ]);
  });

  test('writes through a link, and never replaces a pipe or device', async () => {
    using folder = temporaryFolder();
    const [kept, link, pipe] = ['kept', 'link', 'pipe'].map((name) => join(folder.path, name)) as [
      string,
      string,
      string,
    ];
    writeFileSync(kept, 'old');
    symlinkSync('kept', link);
    execFileSync('mkfifo', [pipe]);
    await cairn(['put', '-'], { env: service.env, input: 'abc' });
    const options = { env: service.env };
    expect((await cairn(['get', abc, '-o', link], options)).code).toBe(0);
    expect([lstatSync(link).isSymbolicLink(), readFileSync(kept, 'utf8')]).toEqual([true, 'abc']);
    const run = await cairn(['get', abc, '-o', pipe], options);
    expect(run).toMatchObject({ code: 2, stderr: expect.stringContaining('pipe is not a regular file') });
    expect(lstatSync(pipe).isFIFO()).toBe(true);
    expect((await cairn(['get', abc, '-o', ''], options)).code).toBe(2);
    expect(readdirSync(folder.path).toSorted()).toEqual(['kept', 'link', 'pipe']);
  });

  test('resumes an interrupted download', async () => {
    using folder = temporaryFolder();
    const bytes = Buffer.from('0123456789');
    const cid = cidOf(codecs.raw, bytes).text;
    await cairn(['put', '-'], { env: service.env, input: bytes });
    writeFileSync(join(folder.path, `out.${cid.slice(-12)}.part`), bytes.subarray(0, 4));
    await using gate = await openGate(service.url, () => 'pass');
    const run = await cairn(['get', cid, '-o', join(folder.path, 'out')], { env: { CAIRN_URL: gate.url } });
    expect(run.code).toBe(0);
    expect(gate.requests.map(({ headers }) => headers.range)).toEqual(['bytes=4-']);
    expect(readFileSync(join(folder.path, 'out'))).toEqual(bytes);
  });

  test('starts again if the partial download is wrong', async () => {
    using folder = temporaryFolder();
    const bytes = Buffer.from('9876543210');
    const cid = cidOf(codecs.raw, bytes).text;
    await cairn(['put', '-'], { env: service.env, input: bytes });
    writeFileSync(join(folder.path, `out.${cid.slice(-12)}.part`), 'wrong and longer than the blob');
    const run = await cairn(['get', cid, '-o', join(folder.path, 'out')], { env: service.env });
    expect(run).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(readFileSync(join(folder.path, 'out'))).toEqual(bytes);
  });

  test('exits with 1 and leaves no file if one byte differs', async () => {
    using folder = temporaryFolder();
    await using gate = await openGate(service.url, () => ({ status: 200, body: 'abd' }));
    const env = { CAIRN_URL: gate.url };
    const written = await cairn(['get', abc, '-o', join(folder.path, 'out')], { env });
    expect(written).toMatchObject({ code: 1, stderr: expect.stringMatching(/Nothing was written to .*out/) });
    expect(readdirSync(folder.path)).toEqual([]);
    expect(await cairn(['get', abc], { env })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('NOT'),
    });
  });

  test('exits with 1 for missing content, and with 2 for an invalid CID or output path', async () => {
    using folder = temporaryFolder();
    const unknown = cidOf(codecs.raw, 'nobody has stored this').text;
    expect(await cairn(['get', unknown, '-o', join(folder.path, 'out')], { env: service.env })).toMatchObject(
      { code: 1, stdout: '' },
    );
    expect(await cairn(['get', 'abc'], { env: service.env })).toMatchObject({
      code: 2,
      stderr:
        '"abc" is neither a CID nor a file that exists. "cairn search" finds identifiers by their names.\n',
    });
    expect(existsSync(join(folder.path, 'out'))).toBe(false);
    expect(await cairn(['get', abc, '-o', join(folder.path, 'out/')], { env: service.env })).toMatchObject({
      code: 2,
      stderr: `The folder ${join(folder.path, 'out/')} does not exist. Make it first.\n`,
    });
  });

  test('names a file in a folder after what it holds, and never replaces one', async () => {
    using folder = temporaryFolder();
    const get = async () => await cairn(['get', abc, '-o', folder.path], { env: service.env });
    const file = join(folder.path, abc);
    expect(await get()).toMatchObject({ code: 0, stdout: `${file}\n` });
    expect(existsSync(file)).toBe(true);
    expect(await get()).toMatchObject({ code: 2, stderr: expect.stringContaining(`${file} exists.`) });
  });
});
