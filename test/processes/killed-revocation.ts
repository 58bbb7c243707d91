import { once } from 'node:events';
import { pino } from 'pino';
import { InProcessQueue } from '../../queues/in-process.ts';
import { credentialPorts } from '../../src/composition/credentials.ts';
import { allocateCredential } from '../../src/domain/integrity/credentials/allocate-credential.ts';
import { revokeCredential } from '../../src/domain/integrity/credentials/revoke.ts';
import { signedStatusList } from '../../src/domain/integrity/credentials/signed-list.ts';
import type { StatusEntry } from '../../src/domain/integrity/credentials/status-entries.ts';
import { workOnJobs } from '../../src/jobs.ts';
import { openEmbedded } from '../../src/storage/open.ts';
import { newCredential } from '../builders/credentials.ts';
import { newKey, signerWith } from '../builders/keys.ts';
import { canonicalizer } from '../builders/proofs.ts';

export type Moment =
  | 'after the entry'
  | 'after the job record'
  | 'while signing'
  | 'after the signed list'
  | 'at the end';

/**
 * The program of a separate process. It stores a credential and its signed list in a folder, says so, revokes the
 * credential, and kills itself at a moment of the revocation.
 */
const [{ folder, moment }]: [{ folder: string; moment: Moment }] = (await once(process, 'message')) as never;
const end = (): never => {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('unreachable');
};

const store = await openEmbedded(folder);
const key = signerWith(newKey());
let isRevoking = false;
const identify = async () => ({ refused: [], uncovered: [] });
const identifier = { ...canonicalizer(), identify } as never;
const signer = {
  ...key,
  sign: (bytes: Uint8Array) => (isRevoking && moment === 'while signing' ? end() : key.sign(bytes)),
};
const queue = new InProcessQueue({ concurrency: 1 });
const settings = { publicUrl: 'https://cairn.example', host: '', port: 0, publicStatusLists: false };
const killed: typeof store = {
  ...store,
  of(declared) {
    const records = store.of(declared);
    if (declared.name !== 'status_entries' || moment !== 'after the signed list') return records;
    const update: typeof records.update = async (id, expected, change) =>
      (change as Partial<StatusEntry>).isListed ? end() : await records.update(id, expected, change);
    return { ...records, update };
  },
};
const ports = credentialPorts(killed, { identifier, signer, queue }, settings);
const work = { log: pino({ level: 'silent' }), maxExportBytes: 1 << 20, identifier, signer };
if (moment !== 'after the job record') workOnJobs(killed, queue, work);

const credential = newCredential();
const text = await allocateCredential(ports.allocation, credential, Buffer.from(JSON.stringify(credential)));
const { credentialStatus } = JSON.parse(text);
const listId = credentialStatus[0].statusListCredential.split('/').at(-1);
await signedStatusList(ports.signedLists, listId);
process.send?.({ id: credential.id, listId, index: Number(credentialStatus[0].statusListIndex) });

isRevoking = true;
const revocation =
  moment === 'after the entry'
    ? { ...ports.revocation, requestStatusList: async () => end() }
    : ports.revocation;
await revokeCredential(revocation, credential.id, { ...credentialStatus[0], status: true });
if (moment === 'after the job record') end();
if (moment === 'at the end') end();
