import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { parseCheckpoint } from '../../src/domain/log/notes/checkpoint.ts';
import { verifyNote } from '../../src/domain/log/notes/cosignature.ts';
import { parseNote } from '../../src/domain/log/notes/signed-note.ts';
import { formatVkey, parseVkey } from '../../src/domain/log/notes/vkey.ts';
import { originHash } from '../../src/domain/log/witnessing/witness.ts';
import { TestLog } from '../builders/test-log.ts';
import { temporaryFolder } from '../temporary-folder.ts';
import { spawnCairn } from './spawn-cairn.ts';

const kills = 5;

async function startWitness(folder: string, log: TestLog) {
  const vkey = formatVkey(log.signer.vkey);
  const spawned = spawnCairn(['log', 'witness', folder, '--name', 'w1', '--log', vkey, '--port', '0']);
  onTestFinished(() => spawned[Symbol.dispose]());
  const [line] = (await once(createInterface(spawned.child.stdout), 'line')) as [string];
  const [, , witness = '', url = ''] = line.split(' ');
  return {
    url,
    witness: parseVkey(witness),
    kill: async () => {
      spawned.child.kill('SIGKILL');
      await spawned.done;
    },
  };
}

test(`a witness that is killed ${kills} times keeps every checkpoint that it has cosigned, and cosigns no fork`, async () => {
  using folder = temporaryFolder();
  const log = new TestLog(20_000);
  const fork = new TestLog(20_000, { seed: 'fork', signer: log.signer });
  let cosigned = 0;
  let size = 0;
  for (let round = 0; round < kills; round += 1) {
    const { url, witness, kill } = await startWitness(join(folder.path, 'witness'), log);
    const add = async (body: string) => await fetch(`${url}/add-checkpoint`, { method: 'POST', body });
    if (cosigned > 0) {
      const latest = await (await fetch(`${url}/${originHash(log.origin)}/checkpoint`)).text();
      const checkpoint = parseCheckpoint(parseNote(latest).text);
      expect(checkpoint.size).toBeGreaterThanOrEqual(cosigned);
      expect(Buffer.from(checkpoint.root)).toEqual(Buffer.from(await log.root(checkpoint.size)));
      expect(verifyNote(parseNote(latest), [witness])).toHaveLength(1);
      expect((await add(await fork.addCheckpoint(checkpoint.size))).status).toBe(422);
      size = checkpoint.size;
    }
    let killed = Promise.resolve();
    try {
      for (let sent = 0; ; sent += 1) {
        const answering = add(await log.addCheckpoint(size, size + 1));
        if (sent === round + 2) killed = delay(round).then(kill);
        const answer = await answering;
        expect(answer.status).toBe(200);
        await answer.text();
        size += 1;
        cosigned = size;
      }
    } catch (error) {
      expect(error).toBeInstanceOf(TypeError);
    }
    await killed;
  }
  expect(cosigned).toBeGreaterThan(2 * kills);
});
